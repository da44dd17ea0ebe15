package browser

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// need skips a test for what is not installed, or fails it where CI is set.
func need(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// browser is one Chromium for all tests.
var browser struct {
	sync.Once
	ctx context.Context
	err error
}

func start(t *testing.T) context.Context {
	t.Helper()
	browser.Do(func() {
		var path string
		for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
			if path, browser.err = exec.LookPath(name); browser.err == nil {
				break
			}
		}
		if browser.err != nil {
			return
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
			chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("no-proxy-server", true),
		)
		allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
		browser.ctx, _ = chromedp.NewContext(allocator)
		browser.err = chromedp.Run(browser.ctx)
	})
	if browser.err != nil {
		need(t, "no Chromium: install the system's package chromium: "+browser.err.Error())
	}
	return browser.ctx
}

// TestMain ends the browser.
func TestMain(m *testing.M) {
	code := m.Run()
	if browser.ctx != nil {
		_ = chromedp.Cancel(browser.ctx)
	}
	os.Exit(code)
}

// tab is one page, and whatever it did that a page of ours never does.
type tab struct {
	t   *testing.T
	ctx context.Context
	mu  sync.Mutex
	bad []string
}

func (b *tab) note(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bad = append(b.bad, fmt.Sprintf(format, args...))
}

// open shows a page from a file. When the test ends it fails for a request, a console
// message, an exception or a violated policy.
func open(t *testing.T, width, height int64, write func(io.Writer) error) *tab {
	t.Helper()
	parent := start(t)
	var page bytes.Buffer
	if err := write(&page); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, page.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	ctx, cancelTime := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancelTime)
	b := &tab{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if e.Request.URL != "file://"+file {
				b.note("a request for %.200s", e.Request.URL)
			}
		case *runtime.EventConsoleAPICalled:
			b.note("a console message: %s", e.Type)
		case *runtime.EventExceptionThrown:
			b.note("an exception: %s", e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			b.note("the browser's log: %s", e.Entry.Text)
		case *cdppage.EventJavascriptDialogOpening:
			b.note("a dialog: %s", e.Message)
		}
	})
	b.run(network.Enable(), log.Enable(), runtime.Enable(), emulation.SetDeviceMetricsOverride(width, height, 1, false), chromedp.Navigate("file://"+file))
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, s := range b.bad {
			t.Error(s)
		}
	})
	return b
}

func (b *tab) run(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// ask evaluates an expression of the page.
func ask[T any](b *tab, expression string) (value T) {
	b.t.Helper()
	b.run(chromedp.Evaluate(expression, &value))
	return value
}

// settled waits until the page has been laid out where it is looked at.
func (b *tab) settled() {
	b.t.Helper()
	b.run(chromedp.Evaluate(`new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => r(0)))))`, nil,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
}

// media chooses light or dark, screen or print.
func (b *tab) media(medium, scheme string) {
	b.t.Helper()
	b.run(emulation.SetEmulatedMedia().WithMedia(medium).WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// shot keeps a picture for who wants to look, below the folder of SNAPLINE_SCREENSHOTS.
func (b *tab) shot(name string) {
	b.t.Helper()
	dir := os.Getenv("SNAPLINE_SCREENSHOTS")
	if dir == "" {
		return
	}
	var picture []byte
	b.run(chromedp.CaptureScreenshot(&picture))
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600)); err != nil {
		b.t.Fatal(err)
	}
}

// accessible runs axe-core, which must find nothing serious.
func (b *tab) accessible(name string) {
	b.t.Helper()
	source, err := axe()
	if err != nil {
		need(b.t, "no axe-core: it is fetched with npm: "+err.Error())
	}
	var found []struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML, FailureSummary string }
	}
	b.run(chromedp.Evaluate(source+";0", nil),
		chromedp.Evaluate(`axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations)`, &found, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
			return p.WithAwaitPromise(true)
		}))
	for _, v := range found {
		if v.Impact == "serious" || v.Impact == "critical" {
			b.t.Errorf("%s: axe: %s (%s): %s: %s", name, v.ID, v.Impact, v.Help, strings.TrimSpace(v.Nodes[0].HTML+" "+v.Nodes[0].FailureSummary))
		}
	}
}

// The version of axe-core and the digest of its package, which is fetched for the run and
// kept nowhere.
const (
	axePackage = "axe-core@4.10.3"
	axeSHA256  = "0f2b4d7dcdf7d1219df8d1959ad68e565f51d14c3f0d88bb71cd59abeb956292"
)

var axe = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "snapline-axe-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	pack := exec.Command("npm", "pack", "--silent", axePackage)
	pack.Dir = dir
	name, err := pack.Output()
	if err != nil {
		return "", err
	}
	raw, err := os.ReadFile(filepath.Join(dir, filepath.Base(strings.TrimSpace(string(name)))))
	if err != nil {
		return "", err
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(raw)); sum != axeSHA256 {
		return "", fmt.Errorf("the package has digest %s", sum)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return "", err
	}
	for files := tar.NewReader(unpacked); ; {
		file, err := files.Next()
		if err != nil {
			return "", err
		}
		if file.Name == "package/axe.min.js" {
			source, err := io.ReadAll(files)
			return string(source), err
		}
	}
})

func quoted(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
