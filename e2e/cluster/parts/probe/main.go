// Package main is what the cluster's own tests run in pods: it needs no library and no shell in its image.
//
//	probe serve      answers every HTTP request on :8080 with the pod's name, and prints a line for each
//	probe get URL    fetches URL, prints the answer; 5 s at most
//	probe say WORDS  prints the words and ends
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "serve":
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		fmt.Println("serving as", host)
		return http.ListenAndServe(":8080", http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
			fmt.Println("asked by", request.RemoteAddr)
			fmt.Fprintln(answer, host)
		}))
	case len(args) == 2 && args[0] == "get":
		client := http.Client{Timeout: 5 * time.Second}
		answer, err := client.Get(args[1])
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		_, err = io.Copy(os.Stdout, answer.Body)
		return err
	case len(args) > 1 && args[0] == "say":
		fmt.Println(strings.Join(args[1:], " "))
		return nil
	default:
		return fmt.Errorf("serve | get URL | say WORDS, not %q", args)
	}
}
