#!/usr/bin/env python3
"""bound, written from docs/stream.md alone: a filtered stream in, a bounded one out.

It checks what it needs, not every rule, and has none of the filters' rules to scan again
what it cut: verify stream and verify judge both.
"""

import hashlib
import json
import sys
from collections import Counter, defaultdict

FAILED = ("failure", "timed_out", "action_required", "stale")
GONE = {"bot_role", "editor_id", "rejected_as", "publisher_id", "place"}  # not in the output of bound
TYPES = ("actor", "record", "thread", "log")
SELECTED = {"check": "checks", "run": "agent_runs", "document": "documents"}  # sources that are selected as a whole


class Stop(Exception):
    """Ends the pipe: an abort line that was read, or the code of a gap of the entity."""


def unique(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("stream.duplicate-member")
    return members


def cut(text, limit):
    """The longest prefix of whole code points within limit bytes."""
    return text.encode()[:limit].decode(errors="ignore")


class Bound:
    def __init__(self, source, sink):
        self.source, self.sink = source, sink
        self.read, self.written = hashlib.sha256(), hashlib.sha256()
        self.lines_in = self.lines_out = 0
        self.gaps, self.selected = Counter(), defaultdict(list)  # by scope and code; lines by source
        self.present, self.awaited = {}, set()  # kinds of what has its text, by key; keys of checks whose log has to come
        self.unknown, self.named = set(), set()  # actors of unknown kind; actors that a line names
        self.held = []  # what writes the parts that are selected as a whole

    def lines(self):
        for raw in self.source:
            if not raw.endswith(b"\n"):
                raise ValueError("stream.unterminated")
            line = json.loads(raw, object_pairs_hook=unique, parse_float=int, parse_constant=int)
            if line["type"] == "abort":
                raise Stop(line)
            if line["type"] == "end":
                if (line["lines"], line["sha256"]) != (self.lines_in, self.read.hexdigest()) or self.source.read(1):
                    raise ValueError("stream.trailer")
                self.trailer = line
                return
            self.read.update(raw)
            self.lines_in += 1
            yield line
        raise ValueError("stream.no-end")

    def write(self, line):
        line = {name: value for name, value in line.items() if name not in GONE}
        raw = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        self.written.update(raw)
        self.lines_out += 1
        self.sink.write(raw)

    def miss(self, scope, code, count=1):
        self.gaps[scope, code] += count

    def select(self, source, line):
        """Keeps the oldest or newest lines of one source and counts the others."""
        lines = self.selected[source]
        lines.append(line)
        if len(lines) > self.most:
            lines.pop(0 if self.newest else -1)
            self.miss(source, "profile_bound")

    def display(self, text, state):
        """A title, label, login or name within its bound."""
        short = cut(text, self.bounds["max_metadata_string_bytes"])
        if short != text:
            state["status"] = "truncated"
        return short

    def body(self, line, limit):
        """A body or log within its bound, one line feed at its end included."""
        content = line.get("body", "").rstrip("\n")
        if len(content.encode()) >= limit:
            content = cut(content, limit - 1).rstrip("\n")
            line["filter"]["status"] = "truncated"
        if line.get("body"):
            line["body"] = content + "\n"

    def header(self, line):
        if line["type"] != "snapshot" or [s["stage"] for s in line["stages"]] != ["fetch", "filter"]:
            raise ValueError("stream.position")
        line["stages"].append({"stage": "bound", "program": "bound.py", "version": "1"})
        if "limits" in line:
            self.limits, self.held = line["limits"], [self.flush_documents]
            self.most, self.newest = self.limits["max_documents"], self.limits["selection"] == "newest"
            return self.write(line)
        profile, entity, state = line["collection"], line["entity"], line["entity_filter"]
        self.bounds, self.logs = profile["bounds"], profile["check_log_selection"]
        self.most, self.newest = self.bounds["max_records_per_source"], profile["record_selection"] == "newest"
        self.held = [self.flush_records, self.flush_checks, self.flush_runs]
        entity["title"] = self.display(entity["title"], state)
        if not entity["title"]:
            raise Stop("invalid_metadata")
        labels = sorted({self.display(label, state) for label in entity["labels"]} - {""}, key=str.encode)
        entity["labels"] = labels[: self.bounds["max_labels"]]
        if entity["labels"] != labels:
            self.miss("entity", "profile_bound", len(labels) - len(entity["labels"]))
            state["status"] = "truncated"
        self.write(line)

    def actor(self, line):
        if line["kind"] == "unknown":
            self.unknown.add(line["id"])
        if line["login"] is not None:
            line["login"] = self.display(line["login"], line["login_filter"]) or None
            if line["login"] is None:
                line["login_filter"]["status"] = "modified"
        self.write(line)

    def record(self, line):
        self.body(line, self.bounds["max_record_bytes"])
        if line["kind"] != "entity":
            self.select(line["kind"] + "s", line | {"place": self.lines_in})
        elif "body" in line:
            self.keep(line)
        else:
            raise Stop("source_too_large" if "oversize" in line else "unsafe_content")

    def keep(self, line):
        if "body" in line:
            self.present[line["record_key"]] = line["kind"]
        self.named |= {line["author_id"], line.get("dismissed_by_actor_id")}
        self.write(line)

    def flush_records(self):
        for line in sorted(self.selected["comments"] + self.selected["reviews"], key=lambda line: line["place"]):
            if "body" not in line:
                self.miss(line["kind"] + "s", "source_too_large" if "oversize" in line else "unsafe_content")
            if "oversize" not in line:
                self.keep(line)

    def thread(self, line):
        self.flush(left=2)
        keys = line["record_keys"] = [k for k in line["record_keys"] if self.present.get(k) == "comment"]
        line["replies"] = [r for r in line["replies"] if {r["record_key"], r["parent_record_key"]} <= set(keys)]
        if self.present.get(line.get("review_record_key")) != "review":
            line.pop("review_id", None)
            line.pop("review_record_key", None)
        if keys:
            self.named.add(line.get("resolved_by_actor_id"))
            self.write(line)

    def unusable(self, line, member, scope):
        """Bounds a name and gives the code by which the object is missing, if it is."""
        why = line.get("rejected_as")
        if not why:
            line[member] = self.display(line[member], line["filter"])
            why = None if line[member] else "invalid_metadata"
        if why:
            self.miss(scope, why)
        return why

    def flush_checks(self):
        for line in self.selected["checks"]:
            why = self.unusable(line, "name", "checks")
            if not why:
                self.present[line["record_key"]] = "check"
                if self.wants_log(line):
                    self.awaited.add(line["record_key"])
            if why in (None, "unsafe_content"):
                self.write(line)

    def wants_log(self, check):
        completed = check["status"] == "completed" and not check["never_started"]
        return completed and (self.logs == "all" or self.logs == "failed" and check["conclusion"] in FAILED)

    def flush_runs(self):
        for line in self.selected["agent_runs"]:
            if not self.unusable(line, "agent", "agent_runs"):
                line["result_record_keys"] = [k for k in line["result_record_keys"] if k in self.present]
                self.write(line)

    def log(self, line):
        self.flush(left=0)
        if line["record_key"] not in self.awaited:
            return
        self.awaited.remove(line["record_key"])
        if "body" in line:
            self.body(line, self.bounds["max_log_bytes"])
            self.write(line)
        else:
            self.miss("check_logs", line.get("missing") or ("source_too_large" if "oversize" in line else "unsafe_content"))

    def flush_documents(self):
        for line in self.selected["documents"]:
            if "raw" not in line:
                self.miss("documents", "unsafe_content")
            if len(line.get("raw", "").encode()) > self.limits["max_document_bytes"]:
                self.miss("documents", "source_too_large")
            else:
                self.write(line)

    def flush(self, left):
        while len(self.held) > left:
            self.held.pop(0)()

    def go(self):
        self.header(next(lines := self.lines()))
        for line in lines:
            if line["type"] in SELECTED:
                self.select(SELECTED[line["type"]], line)
            elif line["type"] == "gap":
                self.miss(line["scope"], line["code"], line["count"])
            elif line["type"] in TYPES:
                getattr(self, line["type"])(line)
            else:
                raise ValueError("stream.unknown-type")
        self.flush(left=0)
        self.miss("check_logs", "fetch_failed", len(self.awaited))
        self.miss("actors", "invalid_metadata", len(self.unknown & self.named))
        for (scope, code), count in sorted((+self.gaps).items()):
            self.write({"type": "gap", "scope": scope, "code": code, "count": count})
        digest, chain = self.read.hexdigest(), self.trailer["chain"]
        self.write({"type": "end", "lines": self.lines_out, "sha256": self.written.hexdigest(), "input_sha256": digest, "chain": [*chain, digest]})
        return 0


def main():
    stage, mine = Bound(sys.stdin.buffer, sys.stdout.buffer), {"type": "abort", "stage": "bound"}
    try:
        return stage.go()
    except Stop as stop:
        last = stop.args[0] if isinstance(stop.args[0], dict) else mine | {"exit": 1, "cause": "gap", "scope": "entity", "code": stop.args[0]}
    except (KeyError, TypeError, ValueError):
        print(f"bound.py: line {stage.lines_in + 1}: not a stream that filter wrote", file=sys.stderr)
        last = mine | {"exit": 3, "cause": "input"}
    stage.write(last)
    return last["exit"]


if __name__ == "__main__":
    sys.exit(main())
