package shard

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"shardwright.io/router-go/internal/contract"
)

const (
	maxHops = 3
	budget  = 5 * time.Second
	backoff = 200 * time.Millisecond
)

// Tables gives the table for one transaction, until the function is called.
type Tables interface {
	Begin() (*contract.Table, func())
	Refresh()
}

// Router runs the work of a key on the shard that owns it.
type Router struct {
	Tables Tables
	Pools  *Pools
	// Replayed is called for every attempt after the first.
	Replayed func()
}

// plan is what a refusal says about the next attempt. Without a shard the table decides.
type plan struct {
	shard   string
	epoch   int64
	waitFor *int
	wait    time.Duration
}

// Do runs the work in a transaction of its own, again after refusals: at most three hops and five seconds.
func (r *Router) Do(ctx context.Context, key int64, work Work) error {
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	var next plan
	for hop := 0; ; hop++ {
		route, err := r.attempt(ctx, key, next, work)
		refusal, refused := refusalOf(err)
		if !refused || hop == maxHops {
			return err
		}
		next = after(refusal, route, hop)
		if refusal.State != contract.Draining {
			r.Tables.Refresh()
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(next.wait):
		}
		r.Replayed()
	}
}

func (r *Router) attempt(ctx context.Context, key int64, p plan, work Work) (contract.Route, error) {
	table, done := r.Tables.Begin()
	defer done()
	route := table.Route(key)
	if p.shard != "" {
		route.Shard, route.Epoch = p.shard, max(route.Epoch, p.epoch)
	}
	at, err := table.Endpoint(route.Shard)
	if err != nil {
		return route, err
	}
	return route, attempt{route: route, waitFor: p.waitFor}.run(ctx, r.Pools, at, work)
}

// refusalOf reads the fence's answer. A shard that the table does not know is one without a state.
func refusalOf(err error) (contract.Refusal, bool) {
	if errors.Is(err, contract.ErrNoPrimary) {
		return contract.Refusal{}, true
	}
	server, heard := errors.AsType[*pgconn.PgError](err)
	if !heard || server.Code != contract.FenceState {
		return contract.Refusal{}, false
	}
	return contract.ParseRefusal(server.Detail), true
}

// after decides on the next attempt: a hint of the fence counts for this one only, and not if the table knows better.
func after(refusal contract.Refusal, route contract.Route, hop int) plan {
	switch {
	case refusal.NamesOwner(route.Shard) && refusal.Epoch >= route.Epoch:
		return plan{shard: refusal.Owner, epoch: refusal.Epoch}
	case refusal.State == contract.Draining:
		return plan{shard: route.Shard, epoch: route.Epoch, waitFor: refusal.Bucket}
	}
	wait := backoff << hop
	return plan{wait: wait/2 + rand.N(wait)}
}
