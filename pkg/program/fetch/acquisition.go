package fetch

import (
	"time"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
	"snapline/pkg/program/cli"
	"snapline/pkg/stage/fetch"
)

// acquisition reads what the caller says of the snapshot: the moment whose state is asked
// for, and the caller's own name of the request.
func acquisition(call *cli.Call, target forge.Target, cfg *fetch.Config) error {
	f := call.Flags
	cfg.Acquisition = contract.Acquisition{Address: target.Address, RequestID: f.String("request-id")}
	if !f.IsSet("profile-file") {
		cfg.Acquisition.ProfileName = f.String("profile")
	}
	if f.IsSet("request-id") && !tree.ValidLabel(cfg.Acquisition.RequestID) {
		return cli.Usagef("--request-id takes 1 to 128 of the characters A-Z a-z 0-9 . _ : / @ + -")
	}
	undated := f.String("not-after-undated")
	switch {
	case f.IsSet("not-after-undated") && undated != acceptUndated:
		return cli.Usagef("--not-after-undated takes %s", acceptUndated)
	case !f.IsSet("not-after") && undated != "":
		return cli.Usagef("--not-after-undated needs --not-after")
	case !f.IsSet("not-after"):
		return nil
	}
	normal, err := tree.Timestamp(f.String("not-after"))
	if err != nil {
		return cli.Usagef("--not-after takes a time like 2026-05-01T10:00:00Z")
	}
	if cfg.NotAfter, err = time.Parse(time.RFC3339Nano, normal); err != nil {
		return err
	}
	cfg.NotAfter = cfg.NotAfter.Truncate(time.Second)
	if !driverOf(target.Forge).DatesEdits && undated == "" {
		return &fault.Error{
			Exit: fault.Usage, Rule: "fetch.not-after-undated",
			Detail: "this forge does not say when a title or description was edited, so --not-after cannot hold for them",
			Hint:   "--not-after-undated " + acceptUndated + " takes them as they are",
		}
	}
	return nil
}

const acceptUndated = "accept"
