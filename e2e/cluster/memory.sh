# shellcheck shell=bash
# How the programs of a cluster, which are written in Go, collect their garbage: less often than usual. The machine of a test
# has more memory than processors. To be sourced.
# shellcheck disable=SC2034
few_collections='GOGC=400 GOMEMLIMIT=1GiB'
