package injection

import "bytes"

// tagMemory remembers the last '<' before the place looked at, so that no byte is
// searched twice.
type tagMemory struct {
	from, last int
	read       int // the '<' of the tag that was read last
	tag        tag
	ok         bool
}

// maxTag bounds the length of a tag that is looked at, in bytes.
const maxTag = 4096

// hiddenAt judges the hidden region that the mark at h opens.
func (s *Scanner) hiddenAt(h int) {
	if h < s.hiddenDone {
		return
	}
	text := s.cur.text
	var outer, content span
	switch b := text[h]; {
	case b == '!' && text[h+1] == '[':
		outer, content = imageText(text, h)
	case b == '!':
		outer, content = comment(text, h)
	case b == '"':
		outer, content = linkTitle(text, h)
	case b == '[', b == ']':
		outer, content = linkComment(text, h)
	default:
		outer, content = s.element(h)
	}
	if content.end <= content.start {
		return
	}
	s.hiddenDone = outer.end
	if s.instructs(content) {
		s.found(hidden, outer)
	}
}

// comment is the HTML comment of which the '!' stands at h: to its closer, or to the
// end of the text.
func comment(text []byte, h int) (outer, content span) {
	if !bytes.HasPrefix(text[h:], []byte("!--")) {
		return
	}
	start := h - 1
	switch {
	case h >= 1 && text[h-1] == '<':
	case h >= 4 && foldEqual(text[h-4:h], "&lt;"):
		start = h - 4
	case h >= 5 && foldEqual(text[h-5:h], "&#60;"):
		start = h - 5
	case h >= 6 && foldEqual(text[h-6:h], "&#x3c;"):
		start = h - 6
	default:
		return
	}
	// The dashes of "<!-->" open and close at once.
	for i := h + 1; ; {
		n := bytes.Index(text[i:], []byte("--"))
		if n < 0 {
			return span{start, len(text)}, span{h + 3, len(text)}
		}
		i += n
		for _, c := range []string{"-->", "--!>", "--&gt;", "--&#62;"} {
			if bytes.HasPrefix(text[i:], []byte(c)) {
				return span{start, i + len(c)}, span{h + 3, max(i, h+3)}
			}
		}
		i++
	}
}

// maxImageText bounds the text of an image and the title of a link, in bytes.
const maxImageText = 1024

// maxLink bounds the destination of a link that has a title, in bytes.
const maxLink = 512

// linkTitle is the title of a link or image of which the opening quote stands at h:
// [text](url "title") or [text]: url "title".
func linkTitle(text []byte, h int) (outer, content span) {
	i := h
	for i > 0 && h-i < 8 && isSpace(text[i-1]) {
		i--
	}
	if i == h {
		return
	}
	e := i
	for i > 0 && e-i < maxLink && !isSpace(text[i-1]) && text[i-1] != '(' {
		i--
	}
	if i == e || i < 2 {
		return
	}
	ends := byte('\n')
	switch {
	case text[i-1] == '(' && text[i-2] == ']':
		ends = ')'
	case !(text[i-1] == ' ' && text[i-2] == ':' && i > 2 && text[i-3] == ']'):
		return
	}
	n := bytes.IndexByte(text[h+1:min(len(text), h+1+maxImageText)], '"')
	if n < 0 {
		return
	}
	end := h + 1 + n
	behind := end + 1
	for behind < len(text) && behind-end < 8 && text[behind] == ' ' {
		behind++
	}
	if behind < len(text) && text[behind] != ends || behind == len(text) && ends == ')' {
		return
	}
	return span{h, end + 1}, span{h + 1, end}
}

// imageText is the text of the image that begins at h: ![text](…) or ![text][…].
func imageText(text []byte, h int) (outer, content span) {
	start := h + len("![")
	n := bytes.IndexByte(text[start:min(len(text), start+maxImageText)], ']')
	if n < 0 {
		return
	}
	end := start + n
	if end+1 >= len(text) || text[end+1] != '(' && text[end+1] != '[' || bytes.Contains(text[start:end], []byte("\n\n")) {
		return
	}
	return span{h, end + 1}, span{start, end}
}

// linkComment is the content of a link definition that renders to nothing:
// [//]: # (…).
func linkComment(text []byte, h int) (outer, content span) {
	i := h
	if text[h] == '[' {
		if !bytes.HasPrefix(text[h:], []byte("[//]:")) {
			return
		}
		i += len("[//]:")
	} else {
		i += len("]:")
	}
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	switch {
	case i < len(text) && text[i] == '#':
		i++
	case bytes.HasPrefix(text[i:], []byte("<>")):
		i += 2
	default:
		return
	}
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	if i >= len(text) {
		return
	}
	closer := byte(0)
	switch text[i] {
	case '(':
		closer = ')'
	case '"', '\'':
		closer = text[i]
	default:
		return
	}
	i++
	end := i
	for ; end < len(text); end++ {
		if text[end] == closer && (end+1 == len(text) || text[end+1] == '\n') {
			break
		}
		if text[end] == '\n' && end+1 < len(text) && text[end+1] == '\n' {
			break
		}
	}
	return span{h, end}, span{i, end}
}

// element is the content of the element whose start tag holds the anchor at h, if it
// is hidden; or the value of an alt or title attribute there.
func (s *Scanner) element(h int) (outer, content span) {
	text := s.cur.text
	if !attributeAt(text, h) {
		return
	}
	open := s.tagStart(h)
	if open < 0 {
		return
	}
	if open != s.tags.read {
		s.tags.read = open
		s.tags.tag, s.tags.ok = readTag(text, open)
	}
	t := &s.tags.tag
	if !s.tags.ok || h >= t.end {
		return
	}
	if !t.hidden {
		for _, v := range t.spoken[:t.n] {
			if v.start <= v.end && h < v.start && v.start-h < 16 {
				return v, v
			}
		}
		return
	}
	end := closing(text, t)
	return span{open, end}, span{open + 1, end}
}

// maxAttribute is longer than each name that attributeAt is asked about.
const maxAttribute = 24

// markupNames are the attributes and properties that are looked for, by first letter.
var markupNames = [...]string{'a': "alt", 'd': "display", 'f': "font", 'h': "hidden", 'o': "opacity", 't': "title", 'v': "visibility"}

// attributeAt reports whether the word at h can name an attribute, or a property of a
// style: cheap to tell, and rarely so outside of markup.
func attributeAt(text []byte, h int) bool {
	first := int(text[h] | 0x20)
	if first >= len(markupNames) || markupNames[first] == "" {
		return false
	}
	end := h + len(markupNames[first])
	if end > len(text) || !foldEqual(text[h:end], markupNames[first]) {
		return false
	}
	for end < min(len(text), h+maxAttribute) && (isLetter(text[end]) || text[end] == '-') {
		end++
	}
	if end == len(text) {
		return false
	}
	before := byte(' ')
	if h > 0 {
		before = text[h-1]
	}
	switch b := text[end]; text[h] | 0x20 {
	case 'h': // hidden
		return (isSpace(before) || before == '"' || before == '\'' || before == '/') && (isSpace(b) || b == '>' || b == '=' || b == '/')
	case 'a', 't': // alt, title
		return isSpace(before) || before == '"' || before == '\'' || before == '/'
	default:
		return b == ':' || isSpace(b) || b == '/' || b == '\\' || b == '&'
	}
}

// tagStart is the last '<' before h within maxTag bytes, -1 if there is none.
func (s *Scanner) tagStart(h int) int {
	from := max(s.tags.from, h-maxTag)
	if i := bytes.LastIndexByte(s.cur.text[from:h], '<'); i >= 0 {
		s.tags.last = from + i
	}
	s.tags.from = h
	if s.tags.last < h-maxTag {
		return -1
	}
	return s.tags.last
}
