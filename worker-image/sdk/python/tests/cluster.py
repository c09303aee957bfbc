"""A real API server without nodes, its callers, and the plugin as a process; e2e/cluster/apiserver makes the server."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
SCRIPT = ROOT / "e2e/cluster/apiserver"
GROUP = "quiver.dev/v1alpha1"


class Ended:
    """How a process of the plugin ended."""

    def __init__(self, process, out, err):
        self.code, self.out, self.err = process.returncode, out, err

    @property
    def json(self):
        return json.loads(self.out)


def _interruptible():
    """As a shell's program is. What a script starts in the background ignores SIGINT, and so do all that come of it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Cluster:
    """The server with all resource definitions and the chart's roles. Callers: admin, viewer, editor, nobody."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.kubeconfigs = {"admin": self._start()}
        self.kubectl_binary = Path(subprocess.check_output([ROOT / "e2e/cluster/build"], text=True).strip()) / "kubectl"

    def _start(self):
        started = subprocess.run([SCRIPT, "up", self.folder / "server", str(os.getpid())], capture_output=True, text=True)
        if started.returncode:
            pytest.skip("missing: an API server: " + started.stderr[-300:])
        return started.stdout.strip()

    def prepare(self):
        for definition in sorted((ROOT / "crds/src/main/resources/META-INF/quiver").glob("*.yaml")):
            self.kubectl("apply", "-f", str(definition))
        self.kubectl("wait", "--for=condition=Established", "--all", "crd")
        self.kubectl("apply", "-f", "-", given=_roles())
        self.kubectl("create", "namespace", "team-a")
        self.kubectl("create", "namespace", "quiver-system")
        for caller, roles in (("viewer", ("view",)), ("editor", ("view", "edit")), ("nobody", ())):
            self.kubectl("-n", "team-a", "create", "sa", caller)
            for role in roles:
                # Nobody sums the rules of aggregated roles up here, so their parts are bound.
                for part in (f"system:aggregate-to-{role}", f"quiver-{role}"):
                    self.kubectl("-n", "team-a", "create", "rolebinding", f"{caller}-{part}".replace(":", "-"),
                                 f"--clusterrole={part}", f"--serviceaccount=team-a:{caller}")
            self.kubeconfigs[caller] = self._kubeconfig(caller, self.kubectl("-n", "team-a", "create", "token", caller).strip())

    def _kubeconfig(self, caller, token):
        config = json.loads(self.kubectl("config", "view", "--raw", "-o", "json"))
        config["users"] = [{"name": caller, "user": {"token": token}}]
        config["contexts"] = [{"name": caller, "context": {
            "cluster": config["clusters"][0]["name"], "user": caller, "namespace": "team-a"}}]
        config["current-context"] = caller
        return write(self.folder / f"{caller}.json", config)

    def kubectl(self, *arguments, given=None):
        return subprocess.run([self.kubectl_binary, f"--kubeconfig={self.kubeconfigs['admin']}", *arguments], input=given,
                              check=True, stdout=subprocess.PIPE, text=True).stdout

    def environment(self, caller, **further):
        return {**os.environ, "KUBECONFIG": str(self.kubeconfigs.get(caller, caller)), "KUBECTL": str(self.kubectl_binary),
                **further}

    def run(self, caller, *arguments, given=None, **environment):
        """Runs the plugin to its end."""
        process = self.start(caller, *arguments, **environment)
        out, err = process.communicate(given, timeout=120)
        return Ended(process, out, err)

    def start(self, caller, *arguments, **environment):
        return subprocess.Popen([sys.executable, "-m", "quiver.cli", *arguments], env=self.environment(caller, **environment),
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                preexec_fn=_interruptible)

    def create(self, found, status=None):
        """Creates an object in namespace team-a, with a status as the operator would write it."""
        found["metadata"].setdefault("namespace", "team-a")
        made = json.loads(self.kubectl("create", "-o", "json", "-f", "-", given=json.dumps(found)))
        if status is not None:
            self.status(found["kind"], made["metadata"]["name"], status)
        return made

    def status(self, kind, name, status):
        """Puts the status of an object into its place, as the operator does."""
        plural = {"Task": "qtask", "Pod": "pod"}.get(kind, kind.lower())
        self.kubectl("-n", "team-a", "patch", plural, name, "--subresource=status", "--type=merge", "-p",
                     json.dumps({"status": status}))

    def delete(self):
        """Empties the namespace."""
        self.kubectl("-n", "team-a", "delete", "taskset,qtask,mapreducejob,workerpool,pod", "--all", "--grace-period=0", "--force")


def write(file, value):
    file.write_text(json.dumps(value))
    file.chmod(0o600)
    return file


def _roles():
    """The chart's roles for people; the little that is a template in them is left out."""
    text = (ROOT / "charts/quiver/templates/user-roles.yaml").read_text()
    text = text.replace('{{ include "quiver.fullname" . }}', "quiver")
    return re.sub(r"(?m)^.*\{\{.*\n|^    rbac.authorization.k8s.io/aggregate.*\n|^  labels:\n", "", text)


def condition(type_, status, reason, message=""):
    return {"type": type_, "status": status, "reason": reason, "message": message,
            "lastTransitionTime": "2026-01-01T00:00:00Z"}


def task_set(name, **spec):
    return {"apiVersion": GROUP, "kind": "TaskSet", "metadata": {"name": name}, "spec": {
        "replicas": 2, "workerPoolRef": {"name": "shared"}, "source": {"count": 1000}, "task": {"command": ["true"]}, **spec}}


def task(name, **spec):
    return {"apiVersion": GROUP, "kind": "Task", "metadata": {"name": name}, "spec": {
        "workerPoolRef": {"name": "shared"}, "task": {"handler": "save", "plan": True}, **spec}}


def pool(name):
    return {"apiVersion": GROUP, "kind": "WorkerPool", "metadata": {"name": name}, "spec": {
        "replicas": 2, "slots": {"count": 8},
        "template": {"spec": {"containers": [{"name": "worker", "image": "busybox:1.35"}]}}}}


def pod(name, of):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"quiver.dev/pool": of}},
            "spec": {"containers": [{"name": "worker", "image": "busybox:1.35"}]}}


RUNNING = {
    "startTime": "2026-01-01T00:00:00Z", "total": 1000, "queued": 572, "running": 16, "succeeded": 409, "failed": 3,
    "percent": 41, "progress": "412/1000", "eta": "3m", "estimatedCompletionTime": "2026-01-01T00:05:00Z", "workers": "2/2",
    "workerPoolName": "shared",
    "failures": [{"task": "spec/\u001b[31ma\u202e.py", "trial": 3, "exitCode": 1, "reason": "NonZeroExit",
                  "message": "expected 1\ngot \u001b[2J2"}],
    "conditions": [condition("Finished", "False", "Running", "16 tasks run."), condition("Succeeded", "Unknown", "Running")],
}
