package feed

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// Operator speaks to the operator's replicas.
type Operator struct {
	feeds     []*url.URL
	path      []string
	tokenFile string
	http      *http.Client
}

// NewOperator trusts only the authorities of caFile; plain HTTP is refused.
func NewOperator(feeds []string, namespace, cluster, caFile, tokenFile string) (*Operator, error) {
	operator := &Operator{path: []string{"v1", "clusters", namespace, cluster}, tokenFile: tokenFile}
	for _, feed := range feeds {
		base, err := url.Parse(feed)
		if err != nil {
			return nil, err
		}
		if base.Scheme != "https" {
			return nil, errors.New("not an https URI: " + feed)
		}
		operator.feeds = append(operator.feeds, base)
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, errors.New("no certificate in " + caFile)
	}
	operator.http = &http.Client{Transport: &http.Transport{
		DialContext:           (&net.Dialer{Timeout: 3 * time.Second}).DialContext,
		TLSClientConfig:       &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   5 * time.Second,
		ResponseHeaderTimeout: 10 * time.Second,
	}}
	return operator, nil
}

// request asks one replica; the token is read again every time, since it is replaced before it expires.
func (o *Operator) request(ctx context.Context, replica int, method, what string, body []byte) (*http.Request, error) {
	target := o.feeds[replica%len(o.feeds)].JoinPath(append(o.path, what)...)
	request, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	token, err := os.ReadFile(o.tokenFile)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+string(bytes.TrimSpace(token)))
	return request, nil
}

func (o *Operator) send(request *http.Request) (io.ReadCloser, error) {
	response, err := o.http.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 != 2 {
		response.Body.Close()
		return nil, errors.New(request.URL.String() + " answers " + response.Status)
	}
	return response.Body, nil
}
