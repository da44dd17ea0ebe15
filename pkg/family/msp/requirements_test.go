package msp

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/family/document"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

// everything is a state that has an object of each definition.
const everything = `{
"activeTurn":{"commandId":"c","turnId":"t1"},
"approvalMode":{"lastCommandId":null,"mode":"allowAll","source":"startup"},
"branch":{"branch":"main","workspaceRoot":"/w"},
"contextUsage":{"pressure":"normal","usedTokens":1},
"effectiveModel":{"modelId":"m","providerId":null,"source":"user"},
"goal":{"objective":"o","percentComplete":101,"status":"anything"},
"items":[{"itemId":"a","kind":"toolCall","revision":1,"status":"inProgress","turnId":"t1",
"attachments":[{"mediaType":"image/png","type":"image"}],
"modelVisibleContent":[{"mediaType":"image/png","path":"p","sourceToolName":"s","type":"image"}],
"outputRef":{"availability":"available","byteLen":1,"id":"i","kind":"k","uri":"u"},
"patchRef":{"availability":"missing","byteLen":1,"id":"i","kind":"k","uri":"u"},
"patchSummary":{"files":1,"added":1,"removed":0},
"result":{"summary":"s","artifactRefs":[],"evidenceRefs":[]},
"usage":{"inputTokens":1,"outputTokens":1,"cachedTokens":1,"reasoningTokens":1},
"children":[{"childId":"x","attempt":1,"status":"anything","usage":{"inputTokens":1,"outputTokens":1,"cachedTokens":1,"reasoningTokens":1}}]}],
"pendingApprovals":[{"approvalId":"p","viewCursor":"v"}],
"pendingUserInputs":[{"userInputId":"u","viewCursor":"v"}],
"queuedTurns":[{"commandId":"c","turnId":"t2"}],
"reasoningEffort":{"reasoningEffort":"high","source":"user"},
"todoList":{"items":[{"status":"pending","text":"t"}],"revision":1,"sourceTool":"s"},
"tokenUsage":{"promptTokens":1,"outputTokens":2,"totalTokens":3,"cost":{"usd":0.5,"partial":false}},
"turnCount":0}`

// shapes are the objects of a state as the requirements list them.
var shapes = testkit.Shapes([][3]string{
	{
		"MSP-02 MSP-03 MSP-04 MSP-05 MSP-06 MSP-07 MSP-08 MSP-09 MSP-10 MSP-11 MSP-12 MSP-13 MSP-14 MSP-15 MSP-16 MSP-17 MSP-18 MSP-19 MSP-22 MSP-23 MSP-24 MSP-47", "",
		"activeTurn:object^ approvalMode:object branch:object^ contextUsage:object? effectiveModel:object^ goal:object^ items:array pendingApprovals:array " +
			"pendingUserInputs:array queuedTurns:array todoList:object^ tokenUsage:object turnCount:int name:string?+ reasoningEffort:object?+",
	},
	{"MSP-36 MSP-07", "/activeTurn", "commandId:string turnId:string"},
	{"MSP-36 MSP-17", "/queuedTurns/0", "commandId:string turnId:string"},
	{
		"MSP-37 MSP-29 MSP-31 MSP-08", "/approvalMode",
		"lastCommandId:string^ mode:enum(allowAll|promptUnmatched|onRequest|denyUnmatched) source:open(startup|replay|approvalReconfigure)",
	},
	{"MSP-38 MSP-31 MSP-09", "/branch", "branch:string^ vcs:open(git|sapling)? workspaceRoot:string"},
	{"MSP-39 MSP-31 MSP-13", "/contextUsage", "pressure:open(normal|warning|blocked) usedTokens:int windowTokens:int?"},
	{"MSP-40 MSP-31 MSP-10", "/effectiveModel", "modelId:string providerId:string^ source:open(user|default|policy)"},
	{"MSP-41 MSP-11", "/goal", "objective:string percentComplete:int status:string currentWork:string? nextWork:string?"},
	{"MSP-42 MSP-12", "/todoList", "items:array revision:int sourceTool:string"},
	{"MSP-43 MSP-31", "/todoList/items/0", "status:open(pending|inProgress|completed|cancelled) text:string activeForm:string?"},
	{"MSP-44 MSP-15", "/pendingApprovals/0", "approvalId:string viewCursor:string itemId:string?"},
	{"MSP-45 MSP-16", "/pendingUserInputs/0", "userInputId:string viewCursor:string itemId:string?"},
	{"MSP-46 MSP-22 MSP-47 MSP-18", "/tokenUsage", "promptTokens:int outputTokens:int totalTokens:int cacheReadTokens:int?+ cacheWriteTokens:int?+ cost:object?+"},
	{
		"MSP-48 MSP-49 MSP-50 MSP-51 MSP-52 MSP-53 MSP-54 MSP-32 MSP-33 MSP-22 MSP-14", "/items/0",
		"itemId:string kind:open(userMessage|agentMessage|reasoning|toolCall|userShell|subagent|workflow|reminderChild|compaction) revision:int " +
			"status:open(inProgress|completed|failed|cancelled|rejected|timedOut) turnId:string?^ recordedAt:string? fallbackText:string? text:string? commandId:string? " +
			"displayText:string? providerItemId:string? tool:string? callId:string? approvalId:string? args:string? failureKind:string? failureReason:string? " +
			"visibleOutput:string? commandText:string? subagentId:string? role:string? objective:string? agentPath:string? childSessionId:string? workflowRunId:string? " +
			"entryId:string? scriptId:string? resumeFromRunId:string? message:string? triggerSource:string? reminderAgentId:string? taskId:string? " +
			"childSessionLogPath:string? strategyId:string? summarizedThrough:string? reason:string? exitCode:int? exitSignal:int? durationMs:int? depth:int? " +
			"generationId:int? tokensBefore:int? tokensAfter:int? truncated:bool? steered:bool? retracted:bool? background:bool? " +
			"backgroundInitiator:open(user|timeout)? controlStatus:open(accepted|starting|running|resultReady|closing|closed|recoveryPending|manualReconciliation)? " +
			"trigger:open(manual|auto)? outcome:open(compacted|noop|failed|cancelled)? summary:strings? attachments:array? modelVisibleContent:array? children:array? " +
			"outputRef:object? result:object? usage:object? patchRef:object?+ patchSummary:object?+",
	},
	{"MSP-56", "/items/0/attachments/0", "mediaType:string type:string width:int? height:int?"},
	{"MSP-56", "/items/0/modelVisibleContent/0", "mediaType:string path:string sourceToolName:string type:string width:int? height:int?"},
	{
		"MSP-57 MSP-33", "/items/0/outputRef",
		"availability:open(available|missing|unsupported|accessFailed) byteLen:int id:string kind:string uri:string digest:string? mediaType:string? path:string?",
	},
	{"MSP-58", "/items/0/result", "summary:string artifactRefs:strings evidenceRefs:strings text:string? errorKind:string? structuredData:object?"},
	{
		"MSP-59 MSP-33", "/items/0/children/0",
		"childId:string attempt:int status:string terminal:open(completed|failed|cancelled)? label:string? phase:string? resultRef:string? durationMs:int? usage:object?",
	},
	{"MSP-60", "/items/0/usage", "inputTokens:int outputTokens:int cachedTokens:int reasoningTokens:int cacheReadTokens:int? cacheWriteTokens:int?"},
	{"MSP-60 MSP-59", "/items/0/children/0/usage", "inputTokens:int outputTokens:int cachedTokens:int reasoningTokens:int cacheReadTokens:int? cacheWriteTokens:int?"},
})

// newerShapes are the objects that only the newer schema knows: nothing in them is an
// error.
var newerShapes = testkit.Shapes([][3]string{
	{
		"MSP-23 MSP-24 MSP-30 MSP-31 MSP-47", "/reasoningEffort",
		"reasoningEffort:enum(none|minimal|low|medium|high|xhigh|max|ultra)+ source:open(user|default|policy)+",
	},
	{"MSP-23 MSP-47", "/tokenUsage/cost", "usd:number+ partial:bool+"},
	{"MSP-23 MSP-61", "/items/0/patchSummary", "files:int+ added:int+ removed:int+"},
	{
		"MSP-23 MSP-53", "/items/0/patchRef",
		"availability:open(available|missing|unsupported|accessFailed)+ byteLen:int+ id:string+ kind:string+ uri:string+ digest:string?+ mediaType:string?+ path:string?+",
	},
})

func judged(raw []byte) (errors, newer []string) {
	for _, f := range Check(raw, "", false).Findings {
		switch {
		case f.Level == document.Error:
			errors = append(errors, f.Code+"@"+f.Place)
		case f.Code == document.NewerMemberType:
			newer = append(newer, f.Code+"@"+f.Place)
		}
	}
	return errors, newer
}

// Every member of every object: absent, null, of another type, in another case, out of
// its vocabulary, and beside one that nobody knows.
func TestShapes(t *testing.T) {
	for _, s := range append(slices.Clone(shapes), newerShapes...) {
		t.Run(s.Place, func(t *testing.T) {
			requirement.Claim(t, append(strings.Fields(s.Rows), "MSP-20", "MSP-25", "MSP-28", "MSP-34", "MSP-35")...)
			s.Check(t, []byte(everything), false, judged)
		})
	}
}

// Single changes of a state and what they bring besides errors.
func TestRows(t *testing.T) {
	const genesis = "-/activeTurn;-/approvalMode;-/branch;-/contextUsage;-/effectiveModel;-/goal;-/pendingApprovals;-/pendingUserInputs;-/queuedTurns;-/reasoningEffort;-/todoList;-/tokenUsage;-/turnCount"
	for _, c := range []struct{ rows, edit, want string }{
		{"MSP-70", "", "valid"},
		{"MSP-20", `/mine={"a":1};/items/0/stopAvailable=true;/items/0/children/0/more=null`, "valid note unknown-member@/items/0/children/0/more unknown-member@/items/0/stopAvailable unknown-member@/mine"},
		{"MSP-27", `/items/0/kind="hologram"`, "valid warning open-enum@/items/0/kind"},
		{"MSP-27", `/branch/vcs="jj"`, "valid warning open-enum@/branch/vcs"},
		{"MSP-55", `/items/0/kind="hologram";/items/0/mine={"x":1}`, "valid warning open-enum@/items/0/kind note unknown-member@/items/0/mine"},
		{"MSP-55", `/items/0/kind="hologram";/items/0/durationMs="long"`, "invalid error type@/items/0/durationMs"},
		{"MSP-54", `/items/0/kind="reasoning";/items/0/exitCode=1;/items/0/commandText="x"`, "valid"},
		{"MSP-34", "/turnCount=2.0", "valid note number-notation@/turnCount"},
		{"MSP-34", "/turnCount=9007199254740992", "valid note integer-range@/turnCount"},
		{"MSP-34", "/turnCount=9007199254740991", "valid"},
		{"MSP-42", "/todoList/items=[]", "valid"},
		{"MSP-22 MSP-24", `/name=null;/reasoningEffort=null`, "valid warning newer-member-type@/name newer-member-type@/reasoningEffort"},
		{"MSP-22", `/reasoningEffort="high";/tokenUsage/cost=1;/tokenUsage/cacheReadTokens="1"`, "valid warning newer-member-type@/reasoningEffort newer-member-type@/tokenUsage/cacheReadTokens newer-member-type@/tokenUsage/cost"},
		{"MSP-22 MSP-75", `/items/0/patchRef=[];/items/0/patchSummary="3 files"`, "valid warning newer-member-type@/items/0/patchRef newer-member-type@/items/0/patchSummary"},
		{"MSP-24", `/reasoningEffort/reasoningEffort="extreme"`, "valid warning newer-member-type@/reasoningEffort/reasoningEffort"},
		{"MSP-70", `/items/0/kind="hologram";/name=null;/turnCount="0"`, "invalid error type@/turnCount"},
		{"MSP-72", "/items/0/revision=0", "valid warning revision-below-1@/items/0/revision"},
		{"MSP-72", "/turnCount=-1", "valid warning negative@/turnCount"},
		{"MSP-71", `/items/1={"itemId":"a","kind":"reasoning","revision":2,"status":"completed"}`, "valid warning duplicate-item@/items/1/itemId"},
		{"MSP-73", "/items/0/turnId=null", "valid warning turn-null@/items/0/turnId"},
		{"MSP-73", `/items/0/turnId=null;/items/0/kind="userShell"`, "valid"},
		{"MSP-74", `/items/0/children/1={"childId":"x","attempt":1.0,"status":"s"}`, "valid warning duplicate-child@/items/0/children/1 note number-notation@/items/0/children/1/attempt"},
		{"MSP-74", `/items/0/children/1={"childId":"x","attempt":2,"status":"s"}`, "valid"},
		{"MSP-75", "-/items/0/patchRef", "valid warning patch-summary-alone@/items/0/patchSummary"},
		{"MSP-76", `/pendingApprovals/0/itemId="z"`, "valid warning pending-item-unknown@/pendingApprovals/0/itemId"},
		{"MSP-76", `/pendingUserInputs/0/itemId="a";/items/0/status="completed"`, "valid warning pending-item-terminal@/pendingUserInputs/0/itemId"},
		{"MSP-77", `/pendingApprovals/0/itemId="a";/items/0/approvalId="q"`, "valid warning approval-join@/pendingApprovals/0/approvalId"},
		{"MSP-77", `/pendingApprovals/0/itemId="a";/items/0/approvalId="p"`, "valid"},
		{"MSP-78", `/queuedTurns/0/turnId="t1"`, "valid warning turn-active-and-queued@/queuedTurns"},
		{"MSP-78", `/queuedTurns/1={"commandId":"c","turnId":"t2"}`, "valid warning duplicate-turn@/queuedTurns"},
		{"MSP-79", "/tokenUsage/totalTokens=4", "valid warning total-mismatch@/tokenUsage/totalTokens"},
		{"MSP-60", "/items/0/usage/outputTokens=99", "valid"},
		{"MSP-82", `/activeTurn=null;/pendingApprovals/0/viewCursor="";/items/0/itemId="no-uuid";/activeTurn={"commandId":"c","turnId":"c"}`, "valid"},
		{"MSP-82", `/activeTurn=null`, "valid"},
		{"MSP-83 MSP-84 MSP-85", genesis, "invalid error missing@/activeTurn missing@/approvalMode missing@/branch missing@/effectiveModel missing@/goal missing@/pendingApprovals missing@/pendingUserInputs " +
			"missing@/queuedTurns missing@/todoList missing@/tokenUsage missing@/turnCount note genesis-rung@"},
		{"MSP-83 MSP-84", genesis + `;/mine=1;/name=null;/items/0/revision="1"`, "invalid error missing@/activeTurn missing@/approvalMode missing@/branch missing@/effectiveModel missing@/goal missing@/pendingApprovals missing@/pendingUserInputs " +
			"missing@/queuedTurns missing@/todoList missing@/tokenUsage missing@/turnCount type@/items/0/revision note genesis-rung@ unknown-member@/mine"},
		{"MSP-84", genesis + `;/turnCount=1`, "invalid error missing@/activeTurn missing@/approvalMode missing@/branch missing@/effectiveModel missing@/goal missing@/pendingApprovals missing@/pendingUserInputs " +
			"missing@/queuedTurns missing@/todoList missing@/tokenUsage"},
	} {
		t.Run(c.edit[:min(len(c.edit), 60)], func(t *testing.T) {
			requirement.Claim(t, strings.Fields(c.rows)...)
			r := Check(testkit.Edit(t, []byte(everything), c.edit), "", false)
			got := string(r.Result)
			for _, level := range []document.Level{document.Error, document.Warning, document.Note} {
				var found []string
				for _, f := range r.Findings {
					if f.Level == level {
						found = append(found, f.Code+"@"+f.Place)
					}
				}
				slices.Sort(found)
				if found != nil {
					got += " " + string(level) + " " + strings.Join(found, " ")
				}
			}
			if got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
			for _, f := range r.Findings {
				if f.Code == "open-enum" && (!strings.Contains(f.Detail, `"`) || !strings.Contains(f.Detail, "ItemKind") && !strings.Contains(f.Detail, "Vcs")) {
					t.Errorf("value and definition are not named: %s", f.Detail)
				}
				if f.Place == "/name" && !strings.Contains(f.Detail, "disputed") {
					t.Errorf("not said to be disputed: %s", f.Detail)
				}
			}
		})
	}
	t.Run("tolerant", func(t *testing.T) {
		requirement.Claim(t, "MSP-86")
		r := Check(testkit.Edit(t, []byte(everything), genesis), "", true)
		if r.Result != ItemsOnly || r.Findings[0].Code != "genesis-rung" || r.Findings[0].Level != document.Warning {
			t.Errorf("%s: %+v", r.Result, r.Findings)
		}
	})
}

// Where a frame has its state, and what its history promises.
func TestFrameRows(t *testing.T) {
	const history = `{"mode":"snapshot","items":null,"snapshot":{"schemaVersion":1,"viewCursor":"v","state":` + everything + `}}`
	const frame = `{"jsonrpc":"2.0","id":1,"result":{"session":{"activeTurnId":"t1","turnCount":0,"approvalMode":{"lastCommandId":null,"mode":"allowAll","source":"startup"}},` +
		`"pendingRequests":[{"approvalId":"p"},{"userInputId":"u"}],"history":` + history + `}}`
	const at = "/result/history"
	for _, c := range []struct{ rows, edit, want string }{
		{"MSP-62", "", "valid"},
		{"MSP-62", at + "/snapshot/state/turnCount=null", "invalid null-not-allowed@" + at + "/snapshot/state/turnCount"},
		{"MSP-63", "-" + at + "/mode", "invalid missing@" + at + "/mode"},
		{"MSP-63", "-" + at + "/items", "invalid missing@" + at + "/items"},
		{"MSP-63", "-" + at + "/snapshot", "invalid missing@" + at + "/snapshot"},
		{"MSP-63", at + `/mode="future"`, "valid open-enum@" + at + "/mode"},
		{"MSP-63", at + `/noneReason="excluded"`, "valid"},
		{"MSP-63", at + `/noneReason="other"`, "valid open-enum@" + at + "/noneReason"},
		{"MSP-63", at + `/noneReason=1`, "invalid type@" + at + "/noneReason"},
		{"MSP-64", at + `/items=[]`, "invalid mode-items@" + at + "/items"},
		{"MSP-64 MSP-69", at + `/mode="inline";` + at + `/items=[];` + at + "/snapshot=null", "no-state no-state@" + at + "/snapshot"},
		{"MSP-65", at + `/mode="none"`, "invalid mode-snapshot@" + at + "/snapshot"},
		{"MSP-65", at + `/snapshot=null`, "invalid mode-snapshot@" + at + "/snapshot"},
		{"MSP-69 MSP-65", at + `/mode="none";` + at + "/snapshot=null", "no-state no-state@" + at + "/snapshot"},
		{"MSP-66", "-" + at + "/snapshot/schemaVersion", "invalid missing@" + at + "/snapshot/schemaVersion"},
		{"MSP-66", at + "/snapshot/viewCursor=1", "invalid type@" + at + "/snapshot/viewCursor"},
		{"MSP-66", "-" + at + "/snapshot/state", "invalid missing@" + at + "/snapshot/state"},
		{"MSP-67", at + `/mode="anchoredSnapshot"`, "invalid anchor-presence@" + at + "/snapshot/anchor"},
		{"MSP-67", at + `/mode="anchoredSnapshot";` + at + `/snapshot/anchor={"boundaryCursor":"b","summarizedThrough":"s"}`, "valid"},
		{"MSP-67", at + `/mode="anchoredSnapshot";` + at + `/snapshot/anchor={"boundaryCursor":"b"}`, "invalid missing@" + at + "/snapshot/anchor/summarizedThrough"},
		{"MSP-67", at + `/snapshot/anchor={"boundaryCursor":"b","summarizedThrough":"s"}`, "invalid anchor-presence@" + at + "/snapshot/anchor"},
		{"MSP-68", at + "/snapshot/schemaVersion=2;" + at + `/snapshot/state/turnCount="x"`, "invalid schema-version@" + at + "/snapshot/schemaVersion"},
		{"MSP-80", `/result/session/activeTurnId="t9"`, "valid session-active-turn@/result/session/activeTurnId"},
		{"MSP-80", `/result/session/turnCount=7`, "valid session-turn-count@/result/session/turnCount"},
		{"MSP-80", `/result/session/approvalMode/mode="onRequest"`, "valid session-approval-mode@/result/session/approvalMode"},
		{"MSP-81", `-/result/pendingRequests/0`, "valid pending-set@/result/pendingRequests"},
		{"MSP-81", `/result/pendingRequests/2={"approvalId":"q"}`, "valid pending-set@/result/pendingRequests"},
	} {
		t.Run(c.edit[:min(len(c.edit), 60)], func(t *testing.T) {
			requirement.Claim(t, strings.Fields(c.rows)...)
			r := Check(testkit.Edit(t, []byte(frame), c.edit), "", false)
			got := []string{string(r.Result)}
			for _, f := range r.Findings {
				got = append(got, f.Code+"@"+f.Place)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("\n got %s\nwant %s", strings.Join(got, " "), c.want)
			}
		})
	}
}

// What is no strict JSON is invalid, whatever its members say.
func TestTextRows(t *testing.T) {
	at := func(old, new string) []byte { return bytes.Replace([]byte(everything), []byte(old), []byte(new), 1) }
	for _, c := range []struct {
		rows, want string
		raw        []byte
	}{
		{"MSP-01", "type", []byte(`[]`)},
		{"MSP-01", "type", []byte(`"x"`)},
		{"MSP-01", "null-not-allowed", []byte(`null`)},
		{"MSP-87", "json.duplicate-member", at(`"turnCount":0`, `"turnCount":0,"turnCoun\u0074":0`)},
		{"MSP-87", "json.lone-surrogate", at(`"objective":"o"`, `"objective":"\ud800"`)},
		{"MSP-87", "json.utf-8", at(`"objective":"o"`, "\"objective\":\"\xfe\"")},
		{"MSP-87", "json.syntax", []byte("\ufeff" + everything)},
		{"MSP-87", "json.trailing", []byte(everything + " 1")},
	} {
		t.Run(c.rows+" "+c.want, func(t *testing.T) {
			requirement.Claim(t, strings.Fields(c.rows)...)
			r := Check(c.raw, "", false)
			if r.Result != Invalid || r.Findings[0].Code != c.want {
				t.Errorf("%s: %+v", r.Result, r.Findings)
			}
		})
	}
}

// The strings that the filter may replace are those that people and models read; of the
// others it touches none.
func TestDisplayText(t *testing.T) {
	requirement.Claim(t, "MSP-90", "MSP-91")
	display := map[string][]string{
		"":                    {"name"},
		"/goal":               {"currentWork", "nextWork", "objective", "status"},
		"/todoList/items/0":   {"activeForm", "text"},
		"/items/0":            {"args", "commandText", "displayText", "failureReason", "fallbackText", "message", "objective", "reason", "role", "text", "visibleOutput"},
		"/items/0/result":     {"summary", "text"},
		"/items/0/children/0": {"label", "phase"},
	}
	edits := []string{`/items/0/summary=["shown 1","shown 2"]`, `/items/0/result/structuredData={"name 1":["shown 3",{"name 2":"shown 4"}]}`, `/mine={"name 3":"hidden"}`}
	for place, members := range display {
		for _, m := range members {
			edits = append(edits, place+"/"+m+`="shown `+place+m+`"`)
		}
	}
	for _, s := range append(slices.Clone(shapes), newerShapes...) {
		for _, word := range strings.Fields(s.Members) {
			name, kind, _ := strings.Cut(word, ":")
			if !slices.Contains(display[s.Place], name) && (strings.HasPrefix(kind, "string") && !strings.HasPrefix(kind, "strings") || strings.HasPrefix(kind, "open")) {
				edits = append(edits, s.Place+"/"+name+`="hidden"`)
			}
		}
	}
	r, err := Read(testkit.Edit(t, []byte(everything), strings.Join(edits, ";")))
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, text := range r.Texts {
		if is := strings.HasPrefix(text.Value, "shown "); is != (text.Policy == document.Replace) {
			t.Errorf("%q has policy %d", text.Value, text.Policy)
		} else if is {
			shown++
		}
	}
	if shown != 4+22 {
		t.Errorf("%d strings are shown", shown)
	}
}
