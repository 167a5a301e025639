package feed

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"shardwright.io/router-go/internal/contract"
)

const (
	warmUp     = 3 * time.Second
	warmUpWait = time.Second
)

// Shards opens connections ahead of a switch.
type Shards interface {
	Warm(ctx context.Context, at contract.Endpoint) error
	Keep(table *contract.Table)
}

// Adopter validates what is received and puts it in use.
type Adopter struct {
	State  *State
	Shards Shards
	Role   string

	offers chan *contract.Table
}

func NewAdopter(state *State, shards Shards, role string) *Adopter {
	return &Adopter{State: state, Shards: shards, Role: role, offers: make(chan *contract.Table, 1)}
}

// Offer takes a document from any channel; of those that wait, the newest is kept. One goroutine at a time.
func (a *Adopter) Offer(document []byte) {
	var order contract.Order
	if err := json.Unmarshal(document, &order); err != nil {
		a.State.refuse("malformed table: " + err.Error())
		return
	}
	if !a.State.see(order) {
		return
	}
	table, err := contract.Decode(document, a.Role)
	if previous := a.State.Table(); err == nil && previous != nil {
		err = table.Follows(previous)
	}
	if err != nil {
		slog.Warn("table refused", "order", order, "reason", err)
		a.State.refuse(fmt.Sprintf("InvalidTable: %s: %s", order, err))
		return
	}
	select {
	case <-a.offers:
	default:
	}
	a.offers <- table
}

// Run puts offered tables in use until the context ends.
func (a *Adopter) Run(ctx context.Context) {
	var waiting *contract.Table
	for {
		var again <-chan time.Time
		if waiting != nil {
			again = time.After(warmUpWait)
		}
		select {
		case <-ctx.Done():
			return
		case waiting = <-a.offers:
		case <-again:
		}
		if a.adopt(ctx, waiting) {
			waiting = nil
		}
	}
}

// adopt swaps if the target of every announced handover can be reached. Without any table a router could not serve
// anything at all, so it takes its first one in any case, with the refusal.
func (a *Adopter) adopt(ctx context.Context, table *contract.Table) bool {
	reason := a.unreachable(ctx, table)
	current := a.State.Table()
	switch {
	case reason == "" || current == nil:
		a.State.swap(table, reason)
		a.Shards.Keep(table)
		slog.Info("table in use", "order", table.Order, "nack", reason)
	default:
		a.State.refuse(reason)
	}
	return reason == ""
}

func (a *Adopter) unreachable(ctx context.Context, table *contract.Table) string {
	ctx, cancel := context.WithTimeout(ctx, warmUp)
	defer cancel()
	for _, shard := range table.Announced {
		at, err := table.Endpoint(shard)
		if err == nil {
			err = a.Shards.Warm(ctx, at)
		}
		if err != nil {
			return fmt.Sprintf("TargetUnreachable: %s of %s", shard, table.Order)
		}
	}
	return ""
}
