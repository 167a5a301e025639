package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"shardwright.io/router-go/internal/feed"
	"shardwright.io/router-go/internal/shard"
)

type config struct {
	router      uint
	rate        float64
	buckets     int
	perBucket   int
	only        []int
	connections int
	process     string

	namespace, cluster, role                string
	feeds                                   []string
	caFile, tokenFile, tableFile            string
	pod, instance, database, user, password string
}

func parse(arguments []string) (config, error) {
	c := config{}
	flags := flag.NewFlagSet("router-go", flag.ContinueOnError)
	flags.UintVar(&c.router, "router", 0, "number that no other router of the run has, 0..65535")
	flags.Float64Var(&c.rate, "rate", 20, "writes per second")
	flags.IntVar(&c.buckets, "buckets", 100, "write to tenants of the buckets below this one")
	flags.IntVar(&c.perBucket, "tenants-per-bucket", 1, "tenants in each bucket, the smallest ids")
	flags.IntVar(&c.connections, "connections", 8, "connections per shard at most")
	flags.StringVar(&c.process, "process", "router", "name of this process within its pod, the same after a restart")
	flags.Func("only-buckets", "write to these buckets only, separated by commas", func(list string) error {
		for word := range strings.SplitSeq(list, ",") {
			bucket, err := strconv.Atoi(word)
			if err != nil {
				return err
			}
			c.only = append(c.only, bucket)
		}
		return nil
	})
	if err := flags.Parse(arguments); err != nil {
		return c, err
	}
	switch {
	case flags.NArg() > 0:
		return c, fmt.Errorf("unexpected %q", flags.Arg(0))
	case c.router > 65535:
		return c, errors.New("--router is above 65535")
	case c.rate <= 0 || c.buckets < 1 || c.perBucket < 1 || c.connections < 1:
		return c, errors.New("--rate, --buckets, --tenants-per-bucket and --connections are positive")
	}
	return c, c.environment()
}

func (c *config) environment() error {
	var feeds string
	for name, value := range map[string]*string{
		"SHARDWRIGHT_NAMESPACE":  &c.namespace,
		"SHARDWRIGHT_CLUSTER":    &c.cluster,
		"SHARDWRIGHT_ROLE":       &c.role,
		"SHARDWRIGHT_FEED":       &feeds,
		"SHARDWRIGHT_CA_FILE":    &c.caFile,
		"SHARDWRIGHT_TOKEN_FILE": &c.tokenFile,
		"POD_NAME":               &c.pod,
		"POD_UID":                &c.instance,
		"SHOP_DATABASE":          &c.database,
		"SHOP_USER":              &c.user,
		"SHOP_PASSWORD":          &c.password,
	} {
		if *value = os.Getenv(name); *value == "" {
			return errors.New(name + " is not set")
		}
	}
	c.feeds = strings.Split(feeds, ",")
	c.tableFile = os.Getenv("SHARDWRIGHT_TABLE_FILE")
	return nil
}

func (c *config) operator() (*feed.Operator, error) {
	return feed.NewOperator(c.feeds, c.namespace, c.cluster, c.caFile, c.tokenFile)
}

func (c *config) login() shard.Login {
	return shard.Login{
		Database:    c.database,
		User:        c.user,
		Password:    c.password,
		Application: "shardwright-router/" + c.instance,
	}
}
