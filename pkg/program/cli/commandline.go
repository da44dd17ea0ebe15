package cli

import (
	"slices"
	"strconv"
	"strings"
	"time"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/fault"
)

// commandLine is a command line in order: the library stops at the first
// positional argument, so flags are brought to the front before it sees them.
type commandLine struct {
	root       *Program
	program    *Program // root or the subcommand that was chosen
	flags      []string
	places     []int // of flags in the arguments, from 0
	positional []string
	standing   []int    // places of the positional arguments
	rest       []string // what followed "--", if the program takes it
	dashes     bool
}

// parse splits args into flags and positional arguments wherever they stand. The
// first positional argument chooses a subcommand if it is the name of one. "--" ends
// the flags. A flag given twice is an error unless it collects values. So is an empty
// value: a shell variable that is not set would else turn a check off.
func parse(root *Program, args []string) (*commandLine, error) {
	l := &commandLine{root: root, program: root}
	seen := map[string]bool{}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			l.dashes = true
			if l.program.TakesRest {
				l.rest = args[i+1:]
			} else {
				for j, arg := range args[i+1:] {
					l.stand(arg, i+1+j)
				}
			}
			return l, l.ownFlags()
		case len(arg) > 1 && arg[0] == '-':
			name, value, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
			flag := findFlag(l.program, name)
			if flag == nil {
				if name == "help" || name == "h" {
					l.flags, l.places = append(l.flags, "--help"), append(l.places, i)
					continue
				}
				return nil, unknownFlag(l.program, i, name)
			}
			if seen[flag.Names()[0]] && !collects(flag) {
				return nil, Usagef("--%s is given twice", name)
			}
			seen[flag.Names()[0]] = true
			place := i
			if takesValue(flag) && !hasValue {
				if i+1 == len(args) || isFlag(l.program, args[i+1]) {
					return nil, Usagef("--%s needs a value", name)
				}
				i++
				arg, value = arg+"="+args[i], args[i]
			}
			if takesValue(flag) && value == "" {
				return nil, Usagef("--%s is empty; give a value or leave it out", name)
			}
			if err := checkValue(flag, name, value, hasValue); err != nil {
				return nil, err
			}
			l.flags, l.places = append(l.flags, arg), append(l.places, place)
		default:
			if sub := subcommand(root, arg); sub != nil && l.program == root && len(l.positional) == 0 {
				l.program = sub
				continue
			}
			l.stand(arg, i)
		}
	}
	return l, l.ownFlags()
}

// stand takes a positional argument and its place.
func (l *commandLine) stand(arg string, place int) {
	l.positional, l.standing = append(l.positional, arg), append(l.standing, place)
}

// ownFlags refuses a flag that only a subcommand knows which was not chosen.
func (l *commandLine) ownFlags() error {
	for i, arg := range l.flags {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if name != "help" && ownFlag(l.program, name) == nil {
			return unknownFlag(l.program, l.places[i], name)
		}
	}
	return nil
}

// unknownFlag says where a flag stands that p does not have.
func unknownFlag(p *Program, index int, name string) error {
	return Usagef("argument %d: unknown flag%s", index+1, nearest(p, name))
}

// logFormat finds --log-format json wherever it stands, for the diagnostics of a command
// line that cannot be parsed.
func logFormat(args []string) fault.Format {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") || name != "log-format" {
			continue
		}
		if !hasValue && i+1 < len(args) {
			value = args[i+1]
		}
		if value == string(fault.JSON) {
			return fault.JSON
		}
	}
	return fault.Text
}

func subcommand(p *Program, name string) *Program {
	for _, c := range p.Commands {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// findFlag looks the flag up in the chosen program; before a subcommand is chosen its
// flags count too.
func findFlag(p *Program, name string) ucli.Flag {
	if f := ownFlag(p, name); f != nil {
		return f
	}
	for _, c := range p.Commands {
		if f := ownFlag(c, name); f != nil {
			return f
		}
	}
	return nil
}

func ownFlag(p *Program, name string) ucli.Flag {
	for _, f := range slices.Concat(p.Flags, commonFlags()) {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

func isFlag(p *Program, arg string) bool {
	if !strings.HasPrefix(arg, "--") {
		return false
	}
	name, _, _ := strings.Cut(arg[2:], "=")
	return name == "" || findFlag(p, name) != nil
}

func takesValue(f ucli.Flag) bool {
	d, ok := f.(ucli.DocGenerationFlag)
	return ok && d.TakesValue()
}

// checkValue says what a switch and a flag with a number or a duration take: the
// library's own words do not.
func checkValue(f ucli.Flag, name, value string, given bool) error {
	switch f.(type) {
	case *ucli.BoolFlag:
		if _, err := strconv.ParseBool(value); given && err != nil {
			return Usagef("--%s takes no value, or true or false", name)
		}
	case *ucli.DurationFlag:
		if _, err := time.ParseDuration(value); err != nil {
			return Usagef("--%s takes a duration like 90s or 2m", name)
		}
	case *ucli.Int64Flag, *ucli.IntFlag:
		if _, err := strconv.ParseInt(value, 0, 64); err != nil {
			return Usagef("--%s takes a whole number", name)
		}
	}
	return nil
}

func collects(f ucli.Flag) bool {
	_, ok := f.(*ucli.StringSliceFlag)
	return ok
}

// spoken are the flags that say how a program speaks, which go with everything.
var spoken = []string{"log-format", "quiet", "verbose", "force"}

// TakesOnly refuses what would have no effect beside the first of flags: whoever gives a
// replay another profile or registry must not believe that it was judged by it.
func TakesOnly(f *ucli.Context, why string, flags ...string) error {
	for _, name := range f.LocalFlagNames() {
		if !slices.Contains(flags, name) && !slices.Contains(spoken, name) {
			return Usagef("--%s takes no --%s: %s", flags[0], name, why)
		}
	}
	return nil
}
