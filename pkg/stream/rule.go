package stream

// The rules that a broken stream breaks. The names are stable: they stand in
// errors, in docs/stream.md and in the paths of the test vectors.
const (
	// Input.
	RuleEmptyInput        = "stream.empty-input"        // no byte at all
	RuleRead              = "stream.read"               // the input could not be read
	RuleCompression       = "stream.compression"        // damaged or cut gzip or zstd
	RuleCompressionWindow = "stream.compression-window" // a window over 8 MiB
	RuleExpansion         = "stream.expansion"          // a compression bomb

	// Framing.
	RuleByteOrderMark  = "stream.byte-order-mark"
	RuleEmptyLine      = "stream.empty-line"
	RuleCarriageReturn = "stream.carriage-return" // a line that ends in CR LF
	RuleUnterminated   = "stream.unterminated"    // the last line has no LF
	RuleLineCap        = "stream.line-cap"
	RuleNoEnd          = "stream.no-end"    // end of input without end or abort
	RuleAfterEnd       = "stream.after-end" // bytes after end or abort

	// JSON.
	RuleSyntax          = "stream.syntax"
	RuleObject          = "stream.object" // the line is not an object
	RuleDepth           = "stream.depth"
	RuleDuplicateMember = "stream.duplicate-member"
	RuleUTF8            = "stream.utf8"
	RuleSurrogate       = "stream.surrogate"
	RuleNumber          = "stream.number" // no integer within ±(2^53-1)

	// Members.
	RuleUnknownType    = "stream.unknown-type"
	RuleUnknownMember  = "stream.unknown-member"
	RuleMissingMember  = "stream.missing-member"
	RuleMemberPosition = "stream.member-position" // a member that this stage does not write
	RuleMemberType     = "stream.member-type"     // another JSON type, or null where none may be
	RuleVocabulary     = "stream.vocabulary"
	RuleRange          = "stream.range" // an integer below its minimum or over its maximum
	RuleEmptyString    = "stream.empty-string"
	RuleIdentifier     = "stream.identifier" // no structural identifier
	RuleDigest         = "stream.digest"     // no 64 lowercase hexadecimal digits
	RuleGitOID         = "stream.git-oid"
	RuleTimestamp      = "stream.timestamp"
	RulePath           = "stream.path"
	RuleURL            = "stream.url"           // no web address of an object on the source's host
	RuleLabel          = "stream.label"         // no name of a profile or request
	RuleFindings       = "stream.findings"      // codes: form, order, one row each
	RuleFilterStatus   = "stream.filter-status" // a status that cannot stand here
	RuleContent        = "stream.content"       // not exactly one form of content
	RuleBase64         = "stream.base64"        // not canonical, or of valid UTF-8
	RuleRejection      = "stream.rejection"     // rejected and what must be absent or present with it
	RuleKindMember     = "stream.kind-member"   // a member that this kind of record has or has not
	RuleDismissal      = "stream.dismissal"
	RuleResolver       = "stream.resolver"
	RuleReviewLink     = "stream.review-link"
	RuleCheckStatus    = "stream.check-status"
	RuleActorState     = "stream.actor-state"
	RuleRecordKeys     = "stream.record-keys" // a list of keys: unique, sorted where the format sorts it
	RuleAbort          = "stream.abort"

	// The header.
	RuleHeader     = "stream.header"      // the first line, and only it, is the header
	RuleVersion    = "stream.version"     // another stream version
	RuleStageChain = "stream.stage-chain" // not fetch, then filter, then bound
	RulePosition   = "stream.position"    // written by another stage than the reader needs
	RuleSource     = "stream.source"
	RuleEntity     = "stream.entity"
	RuleProfile    = "stream.profile"
	RuleHead       = "stream.head"

	// Across lines.
	RuleFamily           = "stream.family" // a line of another family
	RuleUnselectedSource = "stream.unselected-source"
	RuleForgeIdentifier  = "stream.forge-identifier" // not an id of this forge
	RuleOutdated         = "stream.outdated"         // a thread that no forge can call so
	RuleKey              = "stream.key"              // not the key of source, kind and id
	RuleOrder            = "stream.order"
	RuleDuplicateKey     = "stream.duplicate-key"
	RuleEntityRecord     = "stream.entity-record"
	RuleReference        = "stream.reference"
	RuleHeadSHA          = "stream.head-sha"
	RuleLogCheck         = "stream.log-check"
	RuleDocumentDigest   = "stream.document-digest"
	RuleTrailerLines     = "stream.trailer-lines"
	RuleTrailerDigest    = "stream.trailer-digest"
	RuleTrailerChain     = "stream.trailer-chain"
	RuleAbortStage       = "stream.abort-stage"

	// Writing.
	RuleWrite   = "stream.write"   // the output could not be written
	RuleUsage   = "stream.usage"   // a stage called the Writer out of turn
	RuleCapture = "stream.capture" // a capture file could not be made
)
