# shellcheck shell=bash
# Keys, certificates and kubeconfigs of a cluster that lives for hours. To be sourced.

# new_authority DIR: an authority, and the key that service account tokens are signed with.
new_authority() {
    openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=quiver-cluster -keyout "$1/ca.key" -out "$1/ca.crt" 2> /dev/null
    openssl genrsa -out "$1/sa.key" 2048 2> /dev/null
}

# certify DIR NAME SUBJECT [ALT_NAMES]: NAME.key and NAME.crt, signed by the authority of DIR. RSA, because not every
# Java client reads elliptic keys without another library.
certify() {
    local extension=(-addext basicConstraints=critical,CA:FALSE)
    [ -z "${4:-}" ] || extension+=(-addext "subjectAltName=$4")
    openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj "$3" "${extension[@]}" \
        -CA "$1/ca.crt" -CAkey "$1/ca.key" -keyout "$1/$2.key" -out "$1/$2.crt" 2> /dev/null
}

# kubeconfig DIR NAME SERVER: prints a kubeconfig, whole in itself, for the certificate NAME of DIR.
kubeconfig() {
    cat << YAML
apiVersion: v1
kind: Config
current-context: quiver
contexts: [{name: quiver, context: {cluster: quiver, user: $2}}]
clusters:
- name: quiver
  cluster:
    server: $3
    certificate-authority-data: $(base64 -w0 "$1/ca.crt")
users:
- name: $2
  user:
    client-certificate-data: $(base64 -w0 "$1/$2.crt")
    client-key-data: $(base64 -w0 "$1/$2.key")
YAML
}
