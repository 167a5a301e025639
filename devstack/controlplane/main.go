// Command controlplane is the Kubernetes control plane of the stage in one binary: etcd, kube-apiserver,
// kube-controller-manager and kubectl, pinned by go.mod. A link named after a component, or the component's name as
// the first argument, chooses which one runs. It exists because tests and demo need a real API server on machines that
// have no container engine and cannot download released binaries.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	component := filepath.Base(os.Args[0])
	if component == "controlplane" && len(os.Args) > 1 {
		component = os.Args[1]
		os.Args = os.Args[1:]
	}
	switch component {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kube-controller-manager":
		os.Exit(cli.Run(controllermanager.NewControllerManagerCommand()))
	case "kubectl":
		os.Exit(cli.Run(cmd.NewDefaultKubectlCommand()))
	default:
		fmt.Fprintf(os.Stderr, "unknown component %q: use etcd, kube-apiserver, kube-controller-manager or kubectl\n", component)
		os.Exit(2)
	}
}
