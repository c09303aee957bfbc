"""Who calls which cluster, as kubectl reads it from the kubeconfig."""

import base64
import contextlib
import json
import os
import subprocess
import tempfile
from urllib.parse import urlsplit

from quiver.cli.errors import NO_ANSWER, CliError

_IN_CLUSTER = "/var/run/secrets/kubernetes.io/serviceaccount"
_LONGEST_WORDS = 300
_EXEC_SECONDS = 120  # a credential plugin may wait for a person


class Access:
    """An API server and the caller's credentials: address, TLS context (None for plain HTTP on loopback), headers, and
    the namespace that is meant where none is named."""

    def __init__(self, flags):
        """Reads the kubeconfig that the flags name. Raises CliError where there is none, or nothing in it can be used."""
        self.flags = flags
        view = [*kubectl(flags), "config", "view", "--minify", "--flatten", "--raw", "-o", "json"]
        with started(view, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as reading:
            import http.client  # noqa: F401: while kubectl reads
            import ssl  # noqa: F401
            out, err = reading.communicate()
        config = _config(out, err, reading.returncode)
        cluster, user, context = (_first(config, part) for part in ("cluster", "user", "context"))
        self.context = config.get("current-context") or "in-cluster"
        self.namespace = flags.namespace or context.get("namespace") or "default"
        self.server = cluster.get("server") or ""
        split = urlsplit(self.server)
        if split.scheme not in ("https", "http") or not split.hostname:
            raise CliError(f"the kubeconfig's server {self.server!r} is no address like https://HOST:6443")
        if split.scheme == "http" and split.hostname not in ("localhost", "127.0.0.1", "::1"):
            raise CliError(f"the kubeconfig's server {self.server!r} would show credentials to the network: http is for"
                           " loopback alone")
        self.host, self.port, self.base = split.hostname, split.port, split.path.rstrip("/")
        self.server_name = cluster.get("tls-server-name") or self.host
        self.proxy = _proxy(cluster.get("proxy-url"))
        certificate = _credentials(user, cluster)
        self.tls = _tls(cluster, certificate) if split.scheme == "https" else None
        self.bearer = certificate.get("token")
        self.headers = _headers(certificate, user, flags)


def kubectl(flags) -> list:
    """The command kubectl with the flags that choose cluster and caller."""
    command = [os.environ.get("KUBECTL", "kubectl")]
    for name in ("kubeconfig", "context"):
        if getattr(flags, name):
            command.append(f"--{name}={getattr(flags, name)}")
    return command


def started(command, **options):
    """kubectl as a process. Raises CliError where there is none."""
    try:
        return subprocess.Popen(command, **options)
    except OSError as error:
        raise CliError(f"{command[0]} cannot be started: {error.strerror}. It has to be in $PATH, or $KUBECTL names it") from None


def _config(out, err, code):
    if code != 0 and b"does not exist" not in err:
        raise CliError("kubectl cannot read the kubeconfig: " + (_words(err) or f"exit code {code}"))
    if code != 0:
        raise CliError("kubectl cannot read the kubeconfig: " + (_words(err) or f"exit code {code}"))
    try:
        config = json.loads(out)
    except ValueError:
        raise CliError("kubectl config view answers no JSON: is kubectl the real one?") from None
    if config.get("clusters"):
        return config
    if os.environ.get("KUBERNETES_SERVICE_HOST") and os.path.exists(f"{_IN_CLUSTER}/token"):
        return _in_cluster()
    raise CliError("no cluster: the kubeconfig has no current context (kubectl config use-context NAME, or --context NAME)")


def _in_cluster():
    """What a pod finds of itself."""
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    with open(f"{_IN_CLUSTER}/namespace", encoding="utf-8") as file:
        namespace = file.read().strip()
    host = f"[{host}]" if ":" in host else host
    return {
        "clusters": [{"cluster": {"server": f"https://{host}:{port}", "certificate-authority": f"{_IN_CLUSTER}/ca.crt"}}],
        "users": [{"user": {"tokenFile": f"{_IN_CLUSTER}/token"}}],
        "contexts": [{"context": {"namespace": namespace}}],
    }


def _first(config, part):
    entries = config.get(f"{part}s") or [{}]
    return entries[0].get(part) or {}


def _proxy(address):
    if not address:
        return None
    split = urlsplit(address)
    if split.scheme != "http" or not split.hostname or split.username:
        raise CliError(f"the kubeconfig's proxy-url {address!r} is none like http://HOST:3128, which is all that is supported")
    return split.hostname, split.port or 80


def _credentials(user, cluster):
    """token, or clientCertificateData and clientKeyData in PEM; nothing for an anonymous caller."""
    if user.get("exec"):
        return _executed(user["exec"], cluster)
    if user.get("auth-provider"):
        raise CliError("the kubeconfig's auth-provider was removed from Kubernetes in 1.26: use an exec plugin")
    found = {}
    if user.get("tokenFile"):
        with _readable("tokenFile"), open(user["tokenFile"], encoding="utf-8") as file:
            found["token"] = file.read().strip()
    elif user.get("token"):
        found["token"] = user["token"]
    for name, pem in (("client-certificate-data", "clientCertificateData"), ("client-key-data", "clientKeyData")):
        if user.get(name):
            found[pem] = _decoded(name, user[name])
    return found


def _executed(command, cluster):
    """The credentials that a plugin of the kubeconfig makes, by client.authentication.k8s.io."""
    version = command.get("apiVersion") or "client.authentication.k8s.io/v1"
    spec = {"interactive": os.isatty(0) and command.get("interactiveMode") != "Never"}
    if command.get("provideClusterInfo"):
        names = ("server", "tls-server-name", "certificate-authority-data", "insecure-skip-tls-verify", "proxy-url")
        spec["cluster"] = {name: cluster[name] for name in names if name in cluster}
    environment = dict(os.environ, KUBERNETES_EXEC_INFO=json.dumps(
        {"apiVersion": version, "kind": "ExecCredential", "spec": spec}))
    environment.update({entry["name"]: entry["value"] for entry in command.get("env") or ()})
    name = command.get("command", "")
    try:
        ended = subprocess.run([name, *(command.get("args") or ())], env=environment, stdout=subprocess.PIPE,
                               timeout=_EXEC_SECONDS)
        if ended.returncode:
            raise CliError(f"credential plugin {name!r} ended with {ended.returncode}")
        status = json.loads(ended.stdout)["status"]
        found = {key: status[key] for key in ("token", "clientCertificateData", "clientKeyData") if status.get(key)}
    except OSError as error:
        raise CliError(f"credential plugin {name!r} cannot be started: {error.strerror}. {command.get('installHint') or ''}"
                       .strip()) from None
    except subprocess.TimeoutExpired:
        raise CliError(f"credential plugin {name!r} has not ended within {_EXEC_SECONDS} s", NO_ANSWER) from None
    except (ValueError, KeyError, TypeError):
        raise CliError(f"credential plugin {name!r} printed no ExecCredential") from None
    return found


def _tls(cluster, certificate):
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # a default one of 3.13 refuses the authorities of many clusters
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if cluster.get("insecure-skip-tls-verify"):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif cluster.get("certificate-authority-data") or cluster.get("certificate-authority"):
        try:
            if cluster.get("certificate-authority-data"):
                context.load_verify_locations(cadata=_decoded("certificate-authority-data",
                                                              cluster["certificate-authority-data"]))
            else:
                context.load_verify_locations(cafile=cluster["certificate-authority"])
        except (OSError, ValueError) as error:
            raise CliError(f"the kubeconfig's certificate authority cannot be read: {error}") from None
    else:
        context.load_default_certs()
    if "clientCertificateData" in certificate:
        _present(context, certificate)
    return context


def _present(context, certificate):
    """Python loads a certificate from a file alone: one that nobody else may read, for that moment."""
    import ssl

    handle, name = tempfile.mkstemp(prefix="quiver-", suffix=".pem")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(certificate["clientCertificateData"] + "\n" + certificate.get("clientKeyData", ""))
        context.load_cert_chain(name)
    except (ssl.SSLError, UnicodeError) as error:
        raise CliError(f"the client certificate or its key cannot be read: {error}") from None
    finally:
        os.unlink(name)


def _headers(certificate, user, flags):
    headers = {}
    if certificate.get("token"):
        token = certificate["token"]
        if not token.isascii() or not token.isprintable() or " " in token:
            raise CliError("the kubeconfig's token has characters that no token has")
        headers["Authorization"] = f"Bearer {token}"
    elif user.get("username"):
        pair = f"{user['username']}:{user.get('password', '')}".encode()
        headers["Authorization"] = "Basic " + base64.b64encode(pair).decode()
    if flags.as_user or user.get("as"):
        headers["Impersonate-User"] = flags.as_user or user["as"]
    return headers


def _decoded(name, text):
    try:
        return base64.b64decode(text).decode("ascii")
    except ValueError:
        raise CliError(f"the kubeconfig's {name} is no base64 of PEM") from None


@contextlib.contextmanager
def _readable(name):
    try:
        yield
    except OSError as error:
        raise CliError(f"the kubeconfig's {name} cannot be read: {error}") from None


def _words(err):
    return " ".join(err.decode("utf-8", "replace").split())[:_LONGEST_WORDS]
