package load

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"shardwright.io/router-go/internal/shard"
)

// Loop sends writes at a rate, whether or not earlier ones have ended.
type Loop struct {
	Router  *shard.Router
	Ledger  *Ledger
	Tally   *Tally
	Tenants []int64
	Rate    float64
	// Parallel bounds the writes that have not ended. Beyond it the loop is late, which the ledger shows.
	Parallel int

	rows rows
}

// Run sends until the context ends, then waits for the writes under way.
func (l *Loop) Run(ctx context.Context) {
	slots := make(chan struct{}, l.Parallel)
	var writes sync.WaitGroup
	defer writes.Wait()
	started, gap := time.Now(), float64(time.Second)/l.Rate
	for n := 0; ; n++ {
		intended := started.Add(time.Duration(float64(n) * gap))
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(intended)):
		}
		select {
		case <-ctx.Done():
			return
		case slots <- struct{}{}:
		}
		writes.Go(func() {
			defer func() { <-slots }()
			l.write(context.WithoutCancel(ctx), intended)
		})
	}
}

func (l *Loop) write(ctx context.Context, intended time.Time) {
	id := l.Ledger.Next()
	kind, target := l.choose(id)
	effect := Effect{Tenant: target.tenant, Kind: kind, Row: target.reference, Mode: Autocommit, Intended: intended}
	if err := l.Ledger.Begin(id, effect); err != nil {
		slog.Error("a write that cannot be written down is not sent", "reason", err)
		return
	}
	l.Tally.Sent()
	err := l.Router.Do(ctx, target.tenant, work(kind, target, id))
	outcome := Refused
	switch {
	case err == nil:
		outcome = Acknowledged
	case shard.IsUnknown(err):
		outcome = Unknown
	}
	if err := l.Ledger.End(id, outcome); err != nil {
		slog.Error("an outcome cannot be written down", "id", id, "reason", err)
	}
	if err != nil {
		slog.Warn("write failed", "id", id, "tenant", target.tenant, "outcome", outcome, "reason", err)
	}
	l.Tally.Ended(effect.Mode, outcome, err)
	l.settle(kind, target, outcome, err)
}
