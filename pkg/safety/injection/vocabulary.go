package injection

import "strings"

// wid numbers a word of the vocabulary; 0 is any other word.
type wid uint16

// The roles that a word can have in a rule.
const (
	rIgnore      uint64 = 1 << iota // an imperative of ignoring
	rIgnoring                       // its gerund
	rFollow                         // what "do not" turns into ignoring
	rFollowing                      // the same behind "stop"
	rNoun1                          // what an agent is given: instructions, prompts, guidelines
	rNoun2                          // what may also be a part of a program: rules, constraints, directives
	rEarlier                        // said before
	rGiven                          // given at the start
	rYour                           // the reader's
	rAll                            // all, any, every
	rFill                           // articles and the like, of no weight
	rAndOr                          // joins
	rNegate                         // not, never, don't
	rImperative                     // what may stand before an imperative
	rEverything                     // everything, all, what
	rSaid                           // told, said, instructed
	rPerson                         // I, you, we, they
	rThat                           // relative words and auxiliaries before "said"
	rChange                         // replace, change, override, update
	rChanged                        // its participle
	rDet                            // the, your, this
	rLimit                          // restrictions, rules, limits; unrestricted, jailbroken
	rLimitless                      // a word that says "without limits" by itself
	rNone                           // no, without, free, unbound
	rRole                           // act, behave, pretend
	rTell                           // tell, inform, mention, reveal, disclose, show
	rTelling                        // telling, informing
	rTold                           // told, informed
	rHide                           // hide, keep, secret
	rUser                           // the user, and who else must not be deceived
	rSubject                        // makes the clause a statement
	rDecode                         // translate, decode
	rExecute                        // execute, run, eval
	rResult                         // it, the result, the output
	rAgent                          // agent, assistant, AI, model
	rAgentAttr                      // AI, LLM, coding, language before an agent
	rVerb                           // an imperative that an agent could obey
	rStrongVerb                     // one that nobody writes to a device or a template
	rModal                          // must, should
	rApprove                        // approve, merge, execute, override, ignore
	rObject                         // rule, policy, review, test
	rChangeNoun                     // change, pull request, patch
	rAdverb                         // now, please, always: of no weight before a verb
	rPhrase                         // an anchor of a phrase rule
	rThing                          // an anchor of exfiltration
	rMarkup                         // an anchor of hidden markup
	rFunction                       // a word that cannot begin a noun
	rPreposition                    // leads into another noun
	rSend                           // gives away: send, post, paste, upload
	rInclude                        // gives away if it goes into a reply
	rInstrument                     // makes what follows a means, not an object
	rContents                       // the contents, the output
	rReply                          // what others read
	rInto                           // leads to a place
)

// More roles; a word holds them beside the first ones.
const (
	mPretend      uint64 = 1 << iota // asks for a role whatever follows
	mAnswer                          // a verb of replying
	mNoAgent                         // makes an agent or model another thing
	mRelative                        // goes on after an agent that is addressed
	mPassive                         // tells what became of something
	mText                            // what is in a file or variable
	mFrom                            // of, from
	mDotted                          // names a credential file behind a dot
	mSetting                         // is no command but what a program is given
	mScheme                          // of a URL
	mGreeting                        // addresses somebody
	mAgentName                       // names an AI by itself
	mDeed                            // what an agent would hide
	mShell                           // an interpreter
	mCircumstance                    // of a phrase such as "under any circumstances"
	mBare                            // asks for a role when limits are taken away right behind it
	mMany                            // several agents: the subject of a statement as easily
	mReading                         // what the reader of a text does
	mNeverNoun                       // a verb that is no noun or adjective
	mAdopt                           // puts a prompt to use
	mGot                             // says that somebody has something now
	mReplaces                        // what a text does to a prompt
	mThird                           // who does what a text tells of: they, she
	mMayBe                           // a verb of what is possible
	mDespite                         // sets something aside: despite, regardless
	mFailing                         // what a test must not be
	mFindings                        // what a test or review says
	mMe                              // the writer
	mKind                            // says what sort of agent
	mUrges                           // urges somebody to do something
	mReload                          // puts to use what has changed
	mMention                         // is done to somebody behind "to" only: mention, reveal
	mAsks                            // leads into a question: whether, how
	mPossible                        // says, before "to", what can be done
	mLets                            // makes somebody do something, or possible
	mForm                            // asked for by a form: a version, a name
)

// rWeak are the roles of words that may stand in any number before an object.
const rWeak = rEarlier | rGiven | rYour | rAll | rFill | rAndOr

// The words that rules name.
const (
	wNone wid = iota
	wPrompt
	wSystemPrompt
	wSystem
	wNew
	wForget
	wAbout
	wTo
	wNot
	wDo
	wYou
	wNow
	wAs
	wLike
	wIf
	wAre
	wFrom
	wOf
	wWith
	wBy
	wThe
	wYour
	wIs
	wHas
	wThen
	wAnd
	wA
	wAn
	wShow
	wWithout
	wKeep
	wSecret
	wLet
	wKnow
	wFree
	wBound
	wSubject
	wLimited
	wBefore
	wNever
	wThis
	wThat
	wIt
	wOverride
	wFollowing
	wFollows
	wHere
	wUse
	wOption
	wUsers
	wStop
	wLonger
	wGiven
	wWas
	wBeen
	wWill
	wGo
	wBe
	wReview
	wMerge
	wExecute
	wTest
	wPull
	wRequest
	wMust
	wReply
	wHave
	wNeed
	wAI
	wMode
	wPlease
	wIgnore
	wInjection
	wWhat
	wAll
	wMessage
	wBypass
	wUser
	wOut
	wPay
	wAttention
	wFixed // the rest are numbered as they come
)

var named = map[string]wid{
	"prompt": wPrompt, "systemprompt": wSystemPrompt, "system": wSystem, "new": wNew, "forget": wForget,
	"about": wAbout, "to": wTo, "not": wNot, "do": wDo, "you": wYou, "now": wNow, "as": wAs, "like": wLike,
	"if": wIf, "are": wAre, "from": wFrom, "of": wOf, "with": wWith, "by": wBy, "the": wThe, "your": wYour,
	"is": wIs, "has": wHas, "then": wThen, "and": wAnd, "a": wA, "an": wAn, "show": wShow, "without": wWithout,
	"keep": wKeep, "secret": wSecret, "let": wLet, "know": wKnow, "free": wFree, "bound": wBound,
	"subject": wSubject, "limited": wLimited, "before": wBefore, "never": wNever, "this": wThis, "that": wThat,
	"it": wIt, "override": wOverride, "following": wFollowing, "follows": wFollows, "here": wHere, "use": wUse,
	"option": wOption, "users": wUsers, "stop": wStop, "longer": wLonger, "given": wGiven, "was": wWas,
	"been": wBeen, "will": wWill, "go": wGo, "be": wBe, "review": wReview, "merge": wMerge, "execute": wExecute,
	"test": wTest, "pull": wPull, "request": wRequest, "must": wMust, "reply": wReply, "have": wHave,
	"need": wNeed, "ai": wAI, "mode": wMode, "please": wPlease, "ignore": wIgnore, "injection": wInjection,
	"what": wWhat, "all": wAll, "message": wMessage, "bypass": wBypass, "user": wUser, "out": wOut,
	"pay": wPay, "attention": wAttention,
}

// lexicon lists the words of each role.
var lexicon = []struct {
	role  uint64
	words string
}{
	{rIgnore | rPhrase, "ignore disregard forget override bypass disobey circumvent overrule discard neglect"},
	{rIgnoring | rPhrase, "ignoring disregarding forgetting overriding bypassing disobeying"},
	{rFollow, "follow obey heed comply adhere respect observe honor honour"},
	{rFollowing, "following obeying heeding"},
	{rNoun1 | rPhrase, "instruction instructions guideline guidelines prompt prompts direction directions guidance"},
	{rNoun2 | rPhrase, "rule rules constraint constraints directive directives restriction restrictions"},
	{rNoun2, "orders commands"},
	{rEarlier, "previous previously prior earlier above preceding precede precedes preceded foregoing former aforementioned"},
	{rGiven, "past initial original old system developer current existing given provided hidden safety default predefined preset builtin"},
	{rYour, "your"},
	{rAll | rFill, "all any every each"},
	{rFill, "the a of those these this that its their such my our both other remaining entire whole absolutely completely totally entirely fully just please now immediately simply out single set part none subsequent future further"},
	{rAndOr, "and or nor"},
	{rNegate, "not never don't dont cannot can't mustn't shouldn't won't doesn't didn't wouldn't"},
	{rImperative, "and then now please okay yes well hey hello hi henceforth hereafter onward onwards forward claude copilot chatgpt gpt gemini codex chatbot to must should you just also so kindly immediately first always instead but or ai agent agents assistant assistants model models llm shall let's on simply completely next fully totally next do ever still rather hence therefore thus again finally quietly silently secretly only"},
	{rEverything | rPhrase, "everything anything"},
	{rEverything, "all what whatever"},
	{rSaid, "told said instructed taught learned learnt stated know knew given asked trained wrote written received been mentioned discussed gave got"},
	{rPerson, "i you we they he she you've i've we've they've user developer"},
	{rThat, "that which who the else of it text content contents message messages context conversation has have been were was are had ever just so far until till now up in this came is comes listed described outlined shown defined posted laid"},
	{rChange, "replace change override update modify alter rewrite edit reset overwrite substitute swap set"},
	{rChanged, "replaced changed overridden updated modified altered rewritten reset overwritten superseded"},
	{rDet, "the your this its current existing our my that"},
	{rLimit | rPhrase, "restriction restrictions rule rules limit limits limitation limitations guideline guidelines constraint constraints boundaries safeguards censorship filters"},
	{rLimit | rLimitless | rPhrase, "unrestricted jailbroken uncensored unfiltered unconstrained"},
	{rNone, "no without free unbound zero unbounded beyond lacking ignoring ignore ignores"},
	{rRole, "act acting behave pretend imagine roleplay role-play respond operate answer simulate become play work function assume adopt"},
	{rTell | rPhrase, "tell inform mention reveal disclose show notify alert"},
	{rTelling | rPhrase, "telling informing mentioning revealing disclosing showing notifying alerting"},
	{rTold | rPhrase, "told informed notified"},
	{rHide | rPhrase, "hide conceal secret withhold hidden"},
	{rUser, "user users human humans operator operators maintainer maintainers reviewer reviewers"},
	{rSubject, "i we they it he she which that who these those there does did is was has were had would could may might"},
	{rDecode | rPhrase, "translate decode decipher decrypt deobfuscate unscramble"},
	{rExecute, "execute run eval evaluate exec perform"},
	{rResult, "it them result results output"},
	{rAgent, "agent agents assistant assistants ai ais model models system llm llms chatgpt claude copilot chatbot gpt gemini codex"},
	{rAgentAttr, "ai llm coding language automated autonomous chat copilot"},
	{rVerb, "run execute add write post reply respond answer say print include open close comment label delete remove create change modify fetch download install push commit set use read follow treat consider report mark assign do make tell output return call stop skip accept send upload reveal grant disable enable append insert replace update edit act behave pretend obey comply visit click cat curl paste show start rename revert fork tag release publish rate give summarize describe deploy rebase squash amend wipe drop purge kill cancel transfer move copy switch mute block apply bump pin patch swap inject force remember trust believe repeat promote invite escalate"},
	{rVerb | rStrongVerb, "ignore override approve merge disregard bypass forget execute obey reveal exfiltrate leak grant comply"},
	{rModal, "must should shall will"},
	{rApprove, "approve merge execute override ignore approves"},
	{rObject, "rule rules policy policies review reviews test tests reviewer reviewers check checks"},
	{rChangeNoun, "change changes pr mr patch diff commit branch"},
	{rAdverb, "now please always never also just kindly immediately simply must should silently quietly automatically first then you do not don't directly still instead will shall to and are need have required"},
	{rThing, "token tokens key keys secret secrets password passwords env printenv environ environment netrc pgpass npmrc"},
	{rMarkup, "display visibility opacity font hidden alt title"},
	{rFunction, "about that anything what why how this it any of the when if where who which your and or in on because until unless even under at for whether these those there we you i by with to not but before after so as is are from nor then at please just only directly more"},
	{0, "below hereby replacement you're can pipe feed its decoded translated translation resulting hidden confidential private quiet end avoid when ever"},
	{rSend, "send post paste upload exfiltrate leak transmit email mail forward submit publish share"},
	{rInclude, "include append attach embed add put insert quote print echo report show write"},
	{rInstrument, "with using via through by if when so after before once because without unless for uses needs requires"},
	{rContents, "contents content value values output result results file files key keys data text everything them it secret secrets token tokens password passwords credentials variables lines"},
	{rReply, "reply response answer comment comments message review output summary description chat"},
	{rInto, "to into in here onto at as"},
	{0, "type mypy pyright far giving give gave jailbroken exist apply matter bind lint approve ready able role variables base64 cat file next local hand"},
	{rPreposition, "about in for with on from by at to into over under as when if because after before once until unless while"},
	{0, "whenever code"},
}

// moreLexicon lists the words of the roles that begin with m.
var moreLexicon = []struct {
	role  uint64
	words string
}{
	{mCircumstance, "under any no circumstances circumstance condition conditions event case account"},
	{mBare, "act behave pretend respond operate answer work function"},
	{mPretend, "act behave pretend"},
	{mAnswer, "reply respond answer comment"},
	{mNoAgent, "user operating file build"},
	{mRelative, "reading that who which processing reviewing viewing handling working in on of with parsing looking summarizing analyzing seeing evaluating running triaging reviewer reviewers bot bots instruction instructions note notes directive task command prompt here out"},
	{mPassive, "was were used generated helped assisted written created wrote made did contributed"},
	{mMany, "agents assistants ais models llms"},
	{mReading, "read reads reading see sees seeing process processes processing review reviews reviewing parse parses parsing summarize summarizes summarizing analyze analyzes analyzing handle handles handling triages triaging visits evaluates evaluating"},
	{mNeverNoun, "write say respond reply answer"},
	{mAdopt, "use apply adopt follow obey accept"},
	{mGot, "have got given received getting"},
	{mReplaces, "replaces overrides supersedes updates overwrites changes"},
	{mThird, "i we they he she who which"},
	{mMayBe, "can could may might would will"},
	{mDespite, "despite regardless notwithstanding"},
	{mFailing, "failing failed broken flaky red missing negative pending"},
	{mFindings, "failure failures error errors violation violations comment comments finding findings feedback result results requirement requirements"},
	{mMe, "me us"},
	{mKind, "bot bots review reviewer reviewers chat test merge release deploy build support"},
	{mUrges, "remember sure time are is want task goal job order free"},
	{mForm, "version versions name names os browser browsers hardware cpu gpu ram kernel distribution distro platform machine device printer phone manufacturer number output environment setup configuration specs here below e.g eg"},
	{mPossible, "how when where whether what way ways option options flag flags setting ability able unable possible impossible possibility easy hard used allowed attempts tries"},
	{mLets, "let lets allow allows allowed allowing enable enables permit permits make makes made helps cause causes"},
	{mReload, "reload refresh load restart reset"},
	{mMention, "mention mentioning reveal revealing disclose disclosing"},
	{mAsks, "whether how why where what"},
	{mText, "contents content value values output"},
	{mFrom, "of from"},
	{mDotted, "ssh aws docker kube"},
	{mSetting, "option options variable variables field key keys property block section map object parameter var vars"},
	{mScheme, "http https ftp ws wss"},
	{mGreeting, "dear hey hello hi attention note notes instruction instructions message reminder hint task directive command order request for to any every all"},
	{mAgentName, "llm llms chatgpt claude copilot gpt gemini codex chatbot assistant assistants"},
	{mDeed, "this that following it them these those everything anything all your what action actions change changes diff edit edits modification modifications commit commits fact step steps instruction instructions prompt reason reasons reasoning message result results response evidence activity"},
	{mShell, "sh bash zsh shell eval exec python powershell terminal interpreter"},
}

// vocabulary numbers the words, roles and moreRoles hold what each can be.
var vocabulary, roles, moreRoles = func() (map[string]wid, []uint64, []uint64) {
	v := make(map[string]wid, 1024)
	for w, id := range named {
		v[w] = id
	}
	number := func(w string) wid {
		id, ok := v[w]
		if !ok {
			id = wFixed + wid(len(v)-len(named))
			v[w] = id
		}
		return id
	}
	var r, m [1024]uint64
	for _, l := range lexicon {
		for w := range strings.FieldsSeq(l.words) {
			r[number(w)] |= l.role
		}
	}
	for _, l := range moreLexicon {
		for w := range strings.FieldsSeq(l.words) {
			m[number(w)] |= l.role
		}
	}
	r[wSystemPrompt] |= rPhrase
	return v, r[:], m[:]
}()

func (t token) is(role uint64) bool { return roles[t.id]&role != 0 }

// can is is for the roles that begin with m.
func (t token) can(role uint64) bool { return moreRoles[t.id]&role != 0 }
