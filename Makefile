# The front door. `make` alone lists what one can do.
.DEFAULT_GOAL := help
SHELL := /bin/sh

# A JDK 21 or newer: JAVA_HOME when it is new enough, else the newest below /usr/lib/jvm, else a word on what to install.
export JAVA_HOME := $(shell build-config/find-jdk)
MVN := build-config/with-jdk mvn -B -ntp
JAVA := build-config/with-jdk java
SOURCES := $(shell find pom.xml devstack routing planning crds meaning dataplane controllers plugin operator client e2e manifests build-config \
	-path '*/target' -prune -o -type f -print 2>/dev/null)
BUILT := target/.built

help: ## list the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(BUILT) control-plane ## the main job, embedded: four live shards become five under load (minutes; report in target/demo)
	@$(JAVA) -Djdk.console=java.base -cp '$(CLASSPATH_E2E)' io.shardwright.e2e.demo.Demo

play: $(BUILT) control-plane ## the same stage left up for you: prints the kubeconfig and commands to try; Ctrl-C ends it
	@$(JAVA) -Djdk.console=java.base -cp '$(CLASSPATH_E2E)' io.shardwright.e2e.demo.Play

test: control-plane ## build and prove everything (all tiers, real servers; prints each tier's time beside its budget)
	@build-config/run-tests

build: $(BUILT) ## compile and package everything, no tests

long: control-plane ## larger scopes of models and matrices, beside the tests; then the mutants
	@build-config/run-tests -Dtest.excludedGroups= ; tests=$$?; build-config/run-mutants && exit $$tests

mutants: ## planning and routing with one small fault at a time: the share that tests find, and the faults they miss
	@build-config/run-mutants

control-plane: ## build etcd, kube-apiserver, kube-controller-manager and kubectl of the stage (first time: minutes)
	@devstack/controlplane/build.sh >/dev/null

format: ## format all Java sources
	@$(MVN) -q spotless:apply

crds: ## generate manifests/crds and docs/reference from the Java types
	@$(MVN) -q -pl crds -am test -Dtest=CommittedCrdsTest -Dcrds.update=true -Dsurefire.failIfNoSpecifiedTests=false

clean: ## remove what was built in this tree (the control plane stays in its cache)
	@$(MVN) -q clean && rm -rf target

CLASSPATH_E2E := e2e/target/classes:e2e/target/lib/*

$(BUILT): $(SOURCES)
	@echo "building Shardwright (first time: a few minutes for the dependencies) ..."
	@$(MVN) -q package -DskipTests
	@mkdir -p target && touch $@

.PHONY: help demo play test build long mutants control-plane format crds clean
