// Command router-go is a router written from the routing contract alone. It follows the table, acknowledges it, and
// writes orders at a rate, each of which it writes down.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"shardwright.io/router-go/internal/feed"
	"shardwright.io/router-go/internal/load"
	"shardwright.io/router-go/internal/shard"
)

const (
	ledgerFile   = "ledger.tsv"
	workloadFile = "workload.json"
	parallel     = 256
)

func main() {
	c, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		err = run(c)
	}
	if err != nil {
		slog.Error("router ends", "reason", err)
		os.Exit(1)
	}
}

// run works until SIGTERM; the table is followed until the last write has ended.
func run(c config) error {
	signalled, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	serving, cancel := context.WithCancel(context.Background())
	defer cancel()

	state := feed.NewState()
	pools := shard.NewPools(c.login(), c.connections)
	if err := follow(serving, c, state, pools); err != nil {
		return err
	}
	ledger, err := load.OpenLedger(ledgerFile, uint16(c.router))
	if err != nil {
		return err
	}
	tally := load.NewTally()
	go report(serving, tally)
	defer save(tally)

	if !firstTable(signalled, state) {
		return nil
	}
	tenants, err := load.Tenants(state.Table(), c.buckets, c.perBucket, c.only)
	if err != nil {
		return err
	}
	loop := load.Loop{
		Router:   &shard.Router{Tables: state, Pools: pools, Replayed: tally.Replayed},
		Ledger:   ledger,
		Tally:    tally,
		Tenants:  tenants,
		Rate:     c.rate,
		Parallel: parallel,
	}
	context.AfterFunc(signalled, func() { save(tally) })
	loop.Run(signalled)
	return nil
}

func follow(ctx context.Context, c config, state *feed.State, pools *shard.Pools) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	adopter := feed.NewAdopter(state, pools, c.role)
	stream := &feed.Stream{Operator: operator, Adopter: adopter, TableFile: c.tableFile}
	acknowledger := &feed.Acknowledger{
		Operator: operator,
		State:    state,
		Identity: feed.Identity{
			Instance: c.instance, Boot: rand.Text(), Pod: c.pod, Role: c.role, Process: c.process,
		},
		Behind: stream.Behind,
	}
	go adopter.Run(ctx)
	go stream.Run(ctx)
	go acknowledger.Run(ctx)
	return nil
}

func firstTable(ctx context.Context, state *feed.State) bool {
	for state.Table() == nil {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
	return true
}

func report(ctx context.Context, tally *load.Tally) {
	for ticks := time.Tick(time.Second); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
			save(tally)
		}
	}
}

func save(tally *load.Tally) {
	if err := tally.Write(workloadFile); err != nil {
		slog.Error("workload cannot be written", "reason", err)
	}
}
