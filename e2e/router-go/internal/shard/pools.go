// Package shard runs transactions where the table says, and elsewhere when a fence says so.
package shard

import (
	"context"
	"net/url"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shardwright.io/router-go/internal/contract"
)

const connectTimeout = 3 * time.Second

// Login is the application's, the same on every shard.
type Login struct {
	Database string
	User     string
	Password string
	// Application is the name of the sessions.
	Application string
}

// Pools has a pool of connections per primary.
type Pools struct {
	login Login
	size  int32

	mu    sync.Mutex
	pools map[contract.Endpoint]*pgxpool.Pool
}

func NewPools(login Login, size int) *Pools {
	return &Pools{login: login, size: int32(size), pools: make(map[contract.Endpoint]*pgxpool.Pool)}
}

// At is the pool of a primary; it connects when it is used.
func (p *Pools) At(at contract.Endpoint) (*pgxpool.Pool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if pool, exists := p.pools[at]; exists {
		return pool, nil
	}
	dsn := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(p.login.User, p.login.Password),
		Host:     at.String(),
		Path:     p.login.Database,
		RawQuery: url.Values{"sslmode": {"prefer"}, "application_name": {p.login.Application}}.Encode(),
	}
	config, err := pgxpool.ParseConfig(dsn.String())
	if err != nil {
		return nil, err
	}
	config.MaxConns = p.size
	config.ConnConfig.ConnectTimeout = connectTimeout
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	p.pools[at] = pool
	return pool, nil
}

// Warm has a live connection to a primary when it returns.
func (p *Pools) Warm(ctx context.Context, at contract.Endpoint) error {
	pool, err := p.At(at)
	if err != nil {
		return err
	}
	return pool.Ping(ctx)
}

// Keep closes the pools of primaries that the table no longer names, once their transactions have ended.
func (p *Pools) Keep(table *contract.Table) {
	named := make(map[contract.Endpoint]bool, len(table.Shards))
	for _, s := range table.Shards {
		named[s.Primary] = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for at, pool := range p.pools {
		if !named[at] {
			delete(p.pools, at)
			go pool.Close()
		}
	}
}
