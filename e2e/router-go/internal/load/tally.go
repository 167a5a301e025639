package load

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// Tally counts what happened; it is what workload.json says.
type Tally struct {
	writing sync.Mutex

	mu     sync.Mutex
	counts counts
}

type counts struct {
	Sent              int64 `json:"sent"`
	Acknowledged      int64 `json:"acknowledged"`
	Refused           int64 `json:"refused"`
	Unknown           int64 `json:"unknown"`
	Replays           int64 `json:"replays"`
	ApplicationErrors struct {
		Autocommit  map[string]int64 `json:"autocommit"`
		Transaction map[string]int64 `json:"transaction"`
	} `json:"applicationErrors"`
}

func NewTally() *Tally {
	t := &Tally{}
	t.counts.ApplicationErrors.Autocommit = make(map[string]int64)
	t.counts.ApplicationErrors.Transaction = make(map[string]int64)
	return t
}

func (t *Tally) Sent() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Sent++
}

func (t *Tally) Replayed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Replays++
}

// Ended counts an outcome, and the error that the application saw unless there was none.
func (t *Tally) Ended(mode Mode, outcome Outcome, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch outcome {
	case Acknowledged:
		t.counts.Acknowledged++
	case Refused:
		t.counts.Refused++
	case Unknown:
		t.counts.Unknown++
	}
	if err == nil {
		return
	}
	if mode == Transaction {
		t.counts.ApplicationErrors.Transaction[name(err)]++
	} else {
		t.counts.ApplicationErrors.Autocommit[name(err)]++
	}
}

// Write replaces the file as a whole, so that a reader never sees half of it.
func (t *Tally) Write(path string) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	text, err := t.json()
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func (t *Tally) json() ([]byte, error) {
	t.mu.Lock()
	snapshot := t.counts
	snapshot.ApplicationErrors.Autocommit = maps.Clone(t.counts.ApplicationErrors.Autocommit)
	snapshot.ApplicationErrors.Transaction = maps.Clone(t.counts.ApplicationErrors.Transaction)
	t.mu.Unlock()
	return json.Marshal(snapshot)
}

// name is the SQLSTATE, or a word for what has none.
func name(err error) string {
	if server, heard := errors.AsType[*pgconn.PgError](err); heard {
		return server.Code
	}
	if _, failed := errors.AsType[*pgconn.ConnectError](err); failed {
		return "connect"
	}
	switch {
	case errors.Is(err, errNoRow):
		return "noRow"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	return "connection"
}
