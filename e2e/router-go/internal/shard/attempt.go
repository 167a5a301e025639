package shard

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"shardwright.io/router-go/internal/contract"
)

const (
	commitTimeout   = 5 * time.Second
	rollbackTimeout = 2 * time.Second
	enter           = "SELECT shardwright.enter($1, $2, NULL)"
)

// Work is the part of a transaction after the fence. It shows nothing to the application, so it can be done again.
type Work func(ctx context.Context, tx pgx.Tx) error

// attempt is one try; nothing of it survives a refusal.
type attempt struct {
	route contract.Route
	// waitFor is a bucket to enter first, after a refusal because of it.
	waitFor *int
}

// errUnknown: the answer to COMMIT was lost, so nobody may do the work again.
type errUnknown struct{ cause error }

func (e errUnknown) Error() string { return "commit unknown: " + e.cause.Error() }
func (e errUnknown) Unwrap() error { return e.cause }

func (a attempt) run(ctx context.Context, pools *Pools, at contract.Endpoint, work Work) error {
	pool, err := pools.At(at)
	if err != nil {
		return err
	}
	tx, err := pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite})
	if err != nil {
		return err
	}
	if err := a.inside(ctx, tx, work); err != nil {
		rollback(ctx, tx)
		return err
	}
	return commit(ctx, tx)
}

func (a attempt) inside(ctx context.Context, tx pgx.Tx, work Work) error {
	if a.waitFor != nil && *a.waitFor != a.route.Bucket {
		if err := a.enter(ctx, tx, *a.waitFor); err != nil {
			return err
		}
	}
	if err := a.enter(ctx, tx, a.route.Bucket); err != nil {
		return err
	}
	return work(ctx, tx)
}

func (a attempt) enter(ctx context.Context, tx pgx.Tx, bucket int) error {
	_, err := tx.Exec(ctx, enter, int32(bucket), a.route.Key)
	return err
}

// rollback ends the transaction even if its time is over.
func rollback(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	_ = tx.Rollback(ctx)
}

// commit has time of its own: once it is sent, giving up early would only make the outcome unknown.
func commit(ctx context.Context, tx pgx.Tx) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	err := tx.Commit(ctx)
	if err == nil || errors.Is(err, pgx.ErrTxCommitRollback) || pgconn.SafeToRetry(err) {
		return err
	}
	if server, heard := errors.AsType[*pgconn.PgError](err); heard && server.SeverityUnlocalized == "ERROR" {
		return err
	}
	return errUnknown{err}
}

// IsUnknown is whether the work may or may not have been done.
func IsUnknown(err error) bool {
	_, unknown := errors.AsType[errUnknown](err)
	return unknown
}
