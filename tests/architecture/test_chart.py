"""The Helm chart says what the code does: settings, ports, commands; and what a cluster demands.

What needs Helm is skipped where its package is not installed: `make check-chart` installs it.
"""

import importlib
import importlib.metadata
import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

import pytest
import typer
import yaml

from deploy.cli.app import app
from deploy.cli.options import KEY
from deploy.local.reading import READ_BY
from deploy.local.settings import LocalSettings
from libs.embedding.choice import EmbedderSettings
from libs.rpc.readiness import LIVENESS
from libs.rpc.transport import Transport
from libs.settings import load_settings
from libs.telemetry.logs import LogSettings
from libs.telemetry.readers import EXPORTERS, HOST, PORT
from libs.vectors.layout import Layout
from tests.support.render_chart import CHART

SERVICES = ("gateway", "ingest", "retrieval", "generation")
VALUES = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))
SCHEMA = json.loads((CHART / "values.schema.json").read_text("utf-8"))
PROFILES = {
    path.stem: yaml.safe_load(path.read_text("utf-8")) for path in (CHART / "profiles").glob("*")
}
LONG = "introduction-to-programming-in-python"
EVERYTHING: dict[str, Any] = {
    "image": {"repository": "registry.example.org/books/quoth", "pullSecrets": ["registry"]},
    "postgres": {"caSecret": {"name": "postgres-ca", "key": "ca.crt"}},
    "qdrant": {
        "url": "https://qdrant.engines:6334",
        "apiKeySecret": {"name": "qdrant", "key": "api-key"},
        "caSecret": {"name": "qdrant-ca", "key": "ca.crt"},
    },
    "telemetry": {
        "endpoint": "http://collector.monitoring:4317",
        "prometheus": {
            "enabled": True,
            "from": [
                {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "seen"}}}
            ],
        },
    },
    "podSecurity": {"runAsUser": None},
    "priority": {"create": True, "readers": "readers", "background": "background"},
    "generation": {
        "env": {"GENERATION_MODEL": "some-model", "GENERATION_ANSWERER": "openai"},
        "secretEnv": {"OPENAI_API_KEY": {"name": "model", "key": "key"}},
        "autoscaling": {"enabled": True},
        "nodeSelector": {"pool": "readers"},
        "tolerations": [{"key": "readers", "operator": "Exists"}],
        "annotations": {"example.org/team": "books"},
    },
    "retrieval": {
        "autoscaling": {"enabled": True},
        "env": {"RETRIEVAL_ANSWERABILITY": "/etc/quoth/calibration"},
        "volumes": [{"name": "calibration", "configMap": {"name": "calibration"}}],
        "volumeMounts": [{"name": "calibration", "mountPath": "/etc/quoth/calibration"}],
    },
    "gateway": {"autoscaling": {"enabled": True}},
    "ingest": {"autoscaling": {"enabled": True}, "ocr": True},
    "autoscaling": {"source": "keda"},
    "transport": {"tls": "mutual", "certificateSecret": {"name": "quoth-tls", "each": True}},
    "redis": {"urlSecret": {"name": "redis", "key": "url"}},
    "tools": {"secretEnv": {"QUOTH_KEY": {"name": "operator", "key": "key"}}},
    "backup": {"place": "/backups/books", "claim": "backups"},
    "restore": {"place": "/backups/books/one", "claim": "backups", "clearVectors": True},
    "archive": {"place": "s3://records/books"},
    "migrations": {"firstKeySecret": {"name": "operator", "key": "key"}},
    "vacuum": {"books": ["physical-ai", f"{LONG}-volume-1", f"{LONG}-volume-2"]},
    "networkPolicy": {
        "readers": [
            {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ingress"}}}
        ],
        "engines": [
            {
                "name": "qdrant",
                "podSelector": {"matchLabels": {"app": "qdrant"}},
                "ports": [6334],
                "from": ["ingest", "retrieval"],
            }
        ],
    },
    "hosts": ["books.example.org"],
    "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "books-tls"},
    "gatewayApi": {"enabled": True, "parentRefs": [{"name": "public"}]},
}
KEDA = yaml.safe_load((CHART.parent / "examples" / "keda.yaml").read_text("utf-8"))
OWN: dict[str, Any] = {
    "telemetry": {"endpoint": "http://collector.monitoring:4317"},
    "env": {
        "QUOTH_LOG_LEVEL": "DEBUG",
        "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=trial",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://another.monitoring:4317",
    },
    "gateway": {"env": {"GATEWAY_MAX_BODY_BYTES": 1048576, "GATEWAY_BODY_TIMEOUT_S": 2.5}},
    "retrieval": {"env": {"QUOTH_LOG_LEVEL": ""}},
}
_NAMED = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "RETRIEVAL_RERANKER_KEY", "QUOTH_REDIS_URL")
KEYS = {name: {"name": "keys", "key": name} for name in _NAMED}
MOVING = {"QUOTH_EMBEDDER_BEFORE": "openai:some"}
_EMBED = ("ingest", "retrieval", "generation")
GIVEN_TO_ALL: dict[str, dict[str, Any]] = {
    "keys": {"secretEnv": KEYS},
    "keys of an embedder": {"secretEnv": KEYS, **{name: {"env": MOVING} for name in _EMBED}},
}
SETS = {
    **PROFILES,
    **GIVEN_TO_ALL,
    "everything": EVERYTHING,
    "keda": {**PROFILES["large"], **KEDA},
    "own": OWN,
}
REFUSED: dict[str, dict[str, Any]] = {
    "misspelt": {"gatewey": {}},
    "untold": {"autoscaling": {"source": "adapter"}},
    "unplaced": {"backup": {"place": "/backups"}},
    "unhosted": {"ingress": {"enabled": True}},
    "unhosted route": {"gatewayApi": {"enabled": True, "parentRefs": [{"name": "public"}]}},
    "unattached route": {"gatewayApi": {"enabled": True}, "hosts": ["books.example.org"]},
    "open to strangers": {"transport": {"tokenSecret": {"name": "", "key": "token"}}},
    "one port": {"retrieval": {"port": 8090}},
    "one port for scrapes": {"telemetry": {"prometheus": {"enabled": True, "port": 8083}}},
    "keyless": {"vacuum": {"books": ["physical-ai"]}},
    "no scheme": {"qdrant": {"url": "qdrant:6334"}},
    "a path": {"qdrant": {"url": "http://qdrant:6334/"}},
    "an address of IPv6": {"qdrant": {"url": "http://[::1]:6334"}},
    "a site": {"hosts": ["https://books.example.org"]},
    "a port": {"hosts": ["books.example.org:443"], "ingress": {"enabled": True}},
    "an address": {"hosts": ["192.0.2.7"], "ingress": {"enabled": True}},
    "capitals": {
        "hosts": ["Books.example.org"],
        "gatewayApi": {"enabled": True, "parentRefs": [{"name": "public"}]},
    },
    "upside down": {
        "retrieval": {"autoscaling": {"enabled": True, "minReplicas": 9, "maxReplicas": 2}}
    },
}
OF_OTHERS = {
    "POD_NAME",  # only named in the one below
    "OTEL_RESOURCE_ATTRIBUTES",  # OpenTelemetry's own
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    *(EXPORTERS, HOST, PORT),  # as well, for who scrapes
    "PGSSLROOTCERT",  # asyncpg's, as of all PostgreSQL clients
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",  # gRPC's
}
needs_helm = pytest.mark.skipif(
    not importlib.util.find_spec("helm_python")
    or not importlib.util.find_spec("kubernetes_validate"),
    reason="Helm and the schemas of Kubernetes are not installed: make check-chart",
)
each_set = pytest.mark.parametrize("name", sorted(SETS))


@cache
def rendered(only: str = "", release: str = "quoth") -> Any:
    sets = {**SETS, **REFUSED}
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.render_chart", release],
        input=json.dumps({only: sets[only]} if only else sets),
        cwd=CHART.parents[2],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def documents(name: str, *kinds: str) -> list[Any]:
    found = rendered()["sets"][name]
    assert "error" not in found, found
    return [one for one in found["documents"] if not kinds or one["kind"] in kinds]


def pods(name: str) -> Iterator[tuple[str, Any]]:
    """The pods of a set of values: the name of what makes them, and their template."""
    for one in documents(name, "Deployment", "Job"):
        yield one["metadata"]["name"], one["spec"]["template"]
    for one in documents(name, "CronJob"):
        yield one["metadata"]["name"], one["spec"]["jobTemplate"]["spec"]["template"]


def component(labels: Any) -> str:
    return str(labels["app.kubernetes.io/component"])


def settings_of(service: str) -> dict[str, bool]:
    """The variables that a service reads, and whether each is a secret."""
    if service == "tools":
        stores = {
            item.metadata["variable"]: not item.repr
            for item in fields(LocalSettings)
            if item.metadata["variable"].startswith(("QUOTH_POSTGRES", "QUOTH_QDRANT"))
        }
        return {KEY: True, **dict.fromkeys(options(), False), **stores}
    module = importlib.import_module(f"services.{service}.settings")
    classes = [
        kind for kind in vars(module).values() if getattr(kind, "__module__", "") == module.__name__
    ]
    classes += [Transport, LogSettings]
    providers = {}
    if service != "gateway":
        classes += [EmbedderSettings, *([Layout] if service != "generation" else [])]
        providers = {
            "OPENAI_API_KEY": True,
            "CO_API_KEY": True,
        }  # of the embedders that it may open
    return providers | {
        item.metadata["variable"]: not item.repr
        for kind in classes
        if hasattr(kind, "__dataclass_fields__")
        for item in fields(kind)
        if "variable" in item.metadata
    }


def options() -> set[str]:
    """The variables that options of the command `quoth` are read from."""
    found = {"QUOTH_LOG_LEVEL", "QUOTH_LOG_FORMAT"}  # set for all, and no harm
    waiting: list[Any] = [typer.main.get_command(app)]
    while waiting:
        command = waiting.pop()
        waiting += getattr(command, "commands", {}).values()
        found |= {str(one.envvar) for one in command.params if getattr(one, "envvar", None)}
    return found


def environment(container: Any) -> dict[str, Any]:
    assert len({one["name"] for one in container["env"]}) == len(container["env"]), "named twice"
    return {one["name"]: one.get("value", one.get("valueFrom")) for one in container["env"]}


def test_the_chart_is_of_the_packages_version() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))
    assert chart["appVersion"] == importlib.metadata.version("quoth")


@pytest.fixture(scope="module")
def jsonschema() -> Any:
    """Seconds of grammars: every worker imports the modules of all tests, and one runs these."""
    return importlib.import_module("jsonschema")


@pytest.mark.parametrize("values", [VALUES, *SETS.values()])
def test_every_set_of_values_fits_the_schema(values: Any, jsonschema: Any) -> None:
    jsonschema.validate(values, SCHEMA)


@pytest.mark.parametrize(
    "values",
    [
        {"retrieval": {"replica": 2}},
        {"env": {"quoth-log": "x"}},
        {"vacuum": {"books": ["A Book"]}},
        {"podSecurity": {"runAsUser": 0}},
        {"transport": {"tls": "maybe"}},
        {"archive": {"place": "gs://records"}},
        # The root of a pod is read-only: a folder is a claim's.
        {"archive": {"place": "/archive"}},
        {"archive": {"place": "/archive/books", "claim": ""}},
        {"backup": {"place": "/backups"}},
        {"backup": {"place": "/backups", "claim": ""}},
        {"backup": {"place": "/backupsX/y", "claim": "backups"}},
        {"backup": {"place": "", "claim": "backups"}},
        {"backup": {"claim": "backups"}},
        {"backup": {"place": "s3://books/all", "claim": "backups"}},
        {"backup": {"place": "s3://"}},
        {"restore": {"place": "/backups/books"}},
    ],
    ids=str,
)
def test_values_that_cannot_be_meant_are_refused(values: Any, jsonschema: Any) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(values, SCHEMA)


def test_every_variable_that_a_service_is_told_of_is_in_its_defaults() -> None:
    for service in SERVICES:
        assert set(VALUES[service]["env"]) <= settings_of(service).keys()
    assert set(VALUES["env"]) <= set.intersection(*(set(settings_of(one)) for one in SERVICES))


@needs_helm
def test_the_chart_passes_helms_lint() -> None:
    assert rendered()["lint"] == []
    assert "gatewey" in rendered()["sets"]["misspelt"]["error"]


@needs_helm
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("unplaced", "claim"),
        ("upside down", "retrieval.autoscaling: minReplicas is above"),
        ("unhosted", "hosts: name at least one for the Ingress"),
        ("unhosted route", "hosts: name at least one for the HTTPRoute"),
        ("unattached route", "gatewayApi.parentRefs: name your Gateway"),
        ("open to strangers", "transport.tokenSecret.name: with transport.tls=none"),
        ("one port", "retrieval.port: one port can't be for"),
        ("one port for scrapes", "generation.port: one port can't be for"),
        ("keyless", "tools.secretEnv.QUOTH_KEY"),
        ("no scheme", "qdrant.url: write http://host:6334 or https://host:6334"),
        ("a path", 'with nothing behind the port, not "http://qdrant:6334/"'),
        ("an address of IPv6", "name a Service for an address of IPv6"),
        ("a site", 'hosts: write names alone, as books.example.org, not "https://books.'),
        ("a port", 'hosts: write names alone, as books.example.org, not "books.example.org:443"'),
        ("an address", "hosts: an Ingress or an HTTPRoute takes names in small letters"),
        ("capitals", "hosts: an Ingress or an HTTPRoute takes names in small letters"),
    ],
)
def test_an_installation_that_could_not_work_is_refused_before_it_is_begun(
    name: str, told: str
) -> None:
    assert told in rendered()["sets"][name].get("error", "nothing was said")


@needs_helm
@each_set
@pytest.mark.parametrize("version", ["1.30", "1.37"])
def test_every_object_is_one_that_kubernetes_knows(name: str, version: str) -> None:
    import kubernetes_validate

    for one in documents(name):
        if one["apiVersion"].split("/")[0].endswith((".sh", "gateway.networking.k8s.io")):
            continue
        kubernetes_validate.validate(one, version, strict=True)


@needs_helm
@each_set
def test_no_two_objects_have_one_name(name: str) -> None:
    keys = [(one["kind"], one["metadata"]["name"]) for one in documents(name)]
    assert len(set(keys)) == len(keys)
    assert all(len(named) <= 52 for _, named in keys)


@needs_helm
def test_releases_whose_names_begin_alike_have_objects_of_their_own() -> None:
    alike = "the-library-of-the-institute-of-robotics"
    named = [
        {
            (one["kind"], one["metadata"]["name"])
            for one in rendered("everything", release)["sets"]["everything"]["documents"]
            if one["kind"] != "PriorityClass"  # which the operator named
        }
        for release in (alike, f"{alike}-north", f"{alike}-south")
    ]
    assert ("Service", f"{alike}-gateway") in named[0]
    assert not named[0] & named[1] | named[0] & named[2] | named[1] & named[2]
    # What the names of Services and of Jobs may have.
    lengths = {"Service": 63, "CronJob": 52, "Job": 63}
    assert all(len(name) <= lengths.get(kind, 253) for each in named for kind, name in each)


@pytest.mark.control("V21")
@needs_helm
@each_set
def test_every_pod_is_one_that_the_restricted_standard_admits(name: str) -> None:
    for owner, pod in pods(name):
        spec, whole = pod["spec"], pod["spec"]["securityContext"]
        assert whole["runAsNonRoot"] is True, owner
        assert whole["seccompProfile"] == {"type": "RuntimeDefault"}, owner
        assert whole.get("runAsUser", 1) != 0, owner
        assert not {"hostNetwork", "hostPID", "hostIPC"} & spec.keys(), owner
        assert spec["automountServiceAccountToken"] is False, owner
        kinds = {key for volume in spec["volumes"] for key in volume if key != "name"}
        assert kinds <= {"emptyDir", "secret", "configMap", "persistentVolumeClaim"}, owner
        for container in spec["containers"]:
            own = container["securityContext"]
            assert own["allowPrivilegeEscalation"] is False, owner
            assert own["readOnlyRootFilesystem"] is True, owner
            assert own["capabilities"] == {"drop": ["ALL"]}, owner
            assert {"cpu", "memory"} <= container["resources"]["requests"].keys(), owner
            assert "memory" in container["resources"]["limits"], owner


@needs_helm
@each_set
def test_every_deployment_has_probes_a_budget_and_an_account(name: str) -> None:
    deployments = documents(name, "Deployment")
    assert {component(one["metadata"]["labels"]) for one in deployments} == set(SERVICES)
    budgets = {one["metadata"]["name"]: one for one in documents(name, "PodDisruptionBudget")}
    accounts = {one["metadata"]["name"] for one in documents(name, "ServiceAccount")}
    for one in deployments:
        template, own = one["spec"]["template"], one["metadata"]["name"]
        labels = template["metadata"]["labels"].items()
        (container,) = template["spec"]["containers"]
        assert {"startupProbe", "readinessProbe", "livenessProbe"} <= container.keys()
        if "grpc" in container["livenessProbe"]:
            # A store that is down makes a replica unready; to start it again would help nobody.
            assert container["livenessProbe"]["grpc"]["service"] == LIVENESS
            assert "service" not in container["readinessProbe"]["grpc"]
        assert one["spec"]["selector"]["matchLabels"].items() <= labels
        assert budgets[own]["spec"]["selector"]["matchLabels"].items() <= labels
        assert template["spec"]["serviceAccountName"] in accounts
        assert len(template["spec"]["topologySpreadConstraints"]) == 2


@needs_helm
@each_set
def test_every_variable_is_a_setting_that_the_code_reads(name: str) -> None:
    for owner, pod in pods(name):
        service = component(pod["metadata"]["labels"])
        known = settings_of(service)
        for variable, value in environment(pod["spec"]["containers"][0]).items():
            assert variable in known or variable in OF_OTHERS, f"{owner}: {variable}"
            if known.get(variable):
                assert "secretKeyRef" in value, f"{owner}: {variable} is a secret"


@needs_helm
def test_variables_of_the_operators_own_are_told_as_they_are() -> None:
    told = {owner: environment(pod["spec"]["containers"][0]) for owner, pod in pods("own")}
    assert told["quoth-gateway"]["GATEWAY_MAX_BODY_BYTES"] == "1048576"
    assert told["quoth-gateway"]["GATEWAY_BODY_TIMEOUT_S"] == "2.5"
    assert told["quoth-retrieval"]["QUOTH_LOG_LEVEL"] == ""
    generation = told["quoth-generation"]
    assert generation["QUOTH_LOG_LEVEL"] == "DEBUG"
    assert generation["OTEL_EXPORTER_OTLP_ENDPOINT"] == "http://another.monitoring:4317"
    # What scaling finds a pod by stays.
    assert generation["OTEL_RESOURCE_ATTRIBUTES"].split(",") == [
        "service.instance.id=$(POD_NAME)",
        "k8s.namespace.name=books",
        "deployment.environment=trial",
    ]


@needs_helm
@pytest.mark.control("V2")
@pytest.mark.parametrize("name", ["keys", "keys of an embedder"])
def test_a_key_for_all_services_goes_to_those_that_read_it(name: str) -> None:
    told = {
        component(pod["metadata"]["labels"]): environment(pod["spec"]["containers"][0])
        for _, pod in pods(name)
    }
    for service, reading in READ_BY.items():
        own = SETS[name].get(service, {}).get("env", {})
        seen = reading.of({**own, **dict.fromkeys(KEYS, "a-key")})
        assert {key for key in KEYS if key in told[service]} == seen.keys() & KEYS.keys(), service


def scraped_at(name: str) -> list[int]:
    asked = SETS[name].get("telemetry", {}).get("prometheus", {})
    return [VALUES["telemetry"]["prometheus"]["port"]] if asked.get("enabled") else []


@needs_helm
@each_set
def test_every_service_is_scraped_where_it_is_asked_for(name: str) -> None:
    for owner, pod in pods(name):
        (container,) = pod["spec"]["containers"]
        told = environment(container)
        if component(pod["metadata"]["labels"]) == "tools" or not scraped_at(name):
            assert PORT not in told, owner
            continue
        (port,) = scraped_at(name)
        assert (told[EXPORTERS], told[HOST], told[PORT]) == (
            "otlp,prometheus" if SETS[name]["telemetry"].get("endpoint") else "prometheus",
            "0.0.0.0",
            str(port),
        )
        assert container["ports"][-1] == {"name": "metrics", "containerPort": port}
        notes = pod["metadata"]["annotations"]
        assert (notes["prometheus.io/scrape"], notes["prometheus.io/port"]) == ("true", str(port))


def mounted(pod: Any) -> dict[str, Any]:
    """The secrets of a pod by the path that they are mounted at."""
    volumes = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
    (container,) = pod["spec"]["containers"]
    return {
        mount["mountPath"]: volumes[mount["name"]]["secret"]
        for mount in container["volumeMounts"]
        if "secret" in volumes[mount["name"]]
    }


@pytest.mark.control("V2", "V21")
@needs_helm
@each_set
def test_services_know_one_another_by_a_token_from_a_file(name: str) -> None:
    for owner, pod in pods(name):
        told, secrets = environment(pod["spec"]["containers"][0]), mounted(pod)
        if component(pod["metadata"]["labels"]) == "tools":
            assert "/etc/quoth/services" not in secrets, owner
            continue
        assert told["QUOTH_SERVICE_TOKEN_FILE"] == "/etc/quoth/services/token"
        items = [{"key": "token", "path": "token"}]
        assert secrets["/etc/quoth/services"] == {"secretName": "quoth-services", "items": items}


@pytest.mark.control("V2", "V21")
@needs_helm
def test_with_mutual_tls_each_service_has_a_certificate_of_its_own() -> None:
    for owner, pod in pods("everything"):
        told, secrets = environment(pod["spec"]["containers"][0]), mounted(pod)
        service = component(pod["metadata"]["labels"])
        if service == "tools":
            continue
        assert secrets["/etc/quoth/certificate"] == {"secretName": f"quoth-tls-{service}"}, owner
        assert told["QUOTH_RPC_TLS"] == "mutual"
        for file in ("CERT", "KEY", "CA"):
            assert told[f"QUOTH_RPC_{file}"].startswith("/etc/quoth/certificate/")


@needs_helm
def test_each_backup_has_a_place_of_its_own_and_reaches_both_stores() -> None:
    (job,) = (
        one for one in documents("everything", "CronJob") if one["metadata"]["name"].endswith("up")
    )
    pod = job["spec"]["jobTemplate"]["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    assert container["args"] == ["backup", "/backups/books/$(POD_NAME)"]
    told = environment(container)
    assert told["QUOTH_QDRANT_URL"] == "https://qdrant.engines:6334"
    assert {"POD_NAME", "QUOTH_POSTGRES_DSN", "QUOTH_QDRANT_API_KEY"} <= told.keys()
    assert {"name": "backups", "mountPath": "/backups"} in container["volumeMounts"]
    (policy,) = (
        one
        for one in documents("everything", "NetworkPolicy")
        if one["metadata"]["name"] == "quoth-tools"
    )
    open_ports = {port["port"] for rule in policy["spec"]["egress"] for port in rule["ports"]}
    assert {5432, 6334, 443} <= open_ports


@needs_helm
@each_set
def test_a_pod_may_write_to_a_claim_that_is_new(name: str) -> None:
    for owner, pod in pods(name):
        whole = pod["spec"]["securityContext"]
        # Where the platform chooses the user it chooses the group.
        assert whole.get("fsGroup") == whole.get("runAsUser"), owner
        assert name == "everything" or whole["fsGroup"] == 10001, owner


@needs_helm
def test_scaling_by_keda_counts_the_calls_of_its_own_namespace() -> None:
    queries = [
        trigger["metadata"]["query"]
        for one in documents("keda", "ScaledObject")
        for trigger in one["spec"]["triggers"]
        if trigger["type"] == "prometheus"
    ]
    assert len(queries) == 3
    assert all('k8s_namespace_name="books"' in query for query in queries)


@needs_helm
def test_a_restore_comes_before_the_first_key_and_never_with_an_upgrade() -> None:
    jobs = {one["metadata"]["name"]: one for one in documents("everything", "Job")}
    notes = jobs["quoth-restore"]["metadata"]["annotations"]
    later = jobs["quoth-migrations"]["metadata"]["annotations"]
    assert notes["helm.sh/hook"] == "pre-install"
    assert int(notes["helm.sh/hook-weight"]) < int(later["helm.sh/hook-weight"])
    assert jobs["quoth-restore"]["spec"]["backoffLimit"] == 0
    (container,) = jobs["quoth-restore"]["spec"]["template"]["spec"]["containers"]
    assert container["args"] == ["restore", "/backups/books/one", "--clear-vectors"]
    assert {"name": "backups", "mountPath": "/backups"} in container["volumeMounts"]
    assert {"QUOTH_QDRANT_URL", "QUOTH_POSTGRES_DSN"} <= environment(container).keys()
    assert [one["metadata"]["name"] for one in documents("small", "Job")] == ["quoth-migrations"]


@needs_helm
def test_old_months_of_the_record_leave_for_where_the_archive_is() -> None:
    pod = dict(pods("everything"))["quoth-archive"]
    (container,) = pod["spec"]["containers"]
    assert container["args"] == ["audit", "retain", "--archive", "s3://records/books"]
    # What DuckDB may take, and the interpreter beside it.
    assert container["resources"]["limits"]["memory"] == "2Gi"
    assert {"name": "temporary", "emptyDir": {"sizeLimit": "4Gi"}} in pod["spec"]["volumes"]
    assert "quoth-archive" not in dict(pods("small"))


@needs_helm
@each_set
def test_all_speak_of_the_same_ports(name: str) -> None:
    services = {one["metadata"]["name"]: one["spec"] for one in documents(name, "Service")}
    ports = {}
    for owner, pod in pods(name):
        (container,) = pod["spec"]["containers"]
        for variable, value in environment(container).items():
            if isinstance(value, str) and re.search(r"\.svc\..*:\d+$", value):
                host, _, port = value.rpartition("/")[2].rpartition(":")
                assert int(port) == services[host.partition(".")[0]]["ports"][0]["port"], variable
        if "ports" not in container:
            continue
        service = component(pod["metadata"]["labels"])
        ports[service] = port = container["ports"][0]["containerPort"]
        told = environment(container)
        listens = told["QUOTH_PORT"] if service == "gateway" else told[f"{service.upper()}_LISTEN"]
        assert int(listens.rpartition(":")[2]) == port
        assert services[owner]["ports"][0]["targetPort"] == container["ports"][0]["name"]
        assert services[owner]["ports"][0]["port"] == port
        # A virtual address would keep a caller with one replica.
        assert (services[owner].get("clusterIP") == "None") == (service != "gateway")
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            if service != "gateway":
                # Not where it serves: the kubelet speaks no TLS.
                health = VALUES["transport"]["healthPort"]
                assert container[probe]["grpc"]["port"] == health != port
                assert told["QUOTH_HEALTH_LISTEN"] == f"0.0.0.0:{health}"
    for policy in documents(name, "NetworkPolicy"):
        labels = policy["spec"]["podSelector"].get("matchLabels", {})
        service = labels.get("app.kubernetes.io/component", "")
        if service in ports:
            allowed = [one["port"] for rule in policy["spec"]["ingress"] for one in rule["ports"]]
            assert allowed == [ports[service], *scraped_at(name)]


@pytest.mark.control("V21")
@needs_helm
@each_set
def test_only_the_gateway_is_reached_and_only_services_reach_the_engines(name: str) -> None:
    reached: dict[str, set[str]] = {}
    for policy in documents(name, "NetworkPolicy"):
        labels = policy["spec"]["podSelector"].get("matchLabels", {})
        to = labels.get("app.kubernetes.io/component") or labels["app"]
        assert "Ingress" in policy["spec"]["policyTypes"]
        reached[to] = {
            one["podSelector"]["matchLabels"].get("app.kubernetes.io/component", to)
            if "podSelector" in one
            else "anyone named"
            for rule in policy["spec"]["ingress"]
            if [one["port"] for one in rule["ports"]] != scraped_at(name)
            for one in rule.get("from", [{"namespaceSelector": {}}])
        }
    assert reached.pop("gateway") <= {"anyone named", "tools"}
    assert reached.pop("tools") == set()
    assert reached.pop("qdrant", set()) <= {"ingest", "retrieval", "qdrant"}
    assert reached == {
        "ingest": {"gateway"},
        "retrieval": {"gateway", "generation"},
        "generation": {"gateway"},
    }


@needs_helm
@each_set
def test_every_command_of_a_job_is_one_that_quoth_has(name: str) -> None:
    root: Any = typer.main.get_command(app)
    seen = set()
    for _, pod in pods(name):
        (container,) = pod["spec"]["containers"]
        if "args" not in container:
            continue
        command = root.commands[container["args"][0]]
        seen.add(command.name)
        # Raises for an option that there is not.
        command.make_context(command.name, container["args"][1:], resilient_parsing=False).close()
    assert "migrate" in seen


@needs_helm
@each_set
def test_scaled_deployments_exist_and_their_metrics_are_recorded(name: str) -> None:
    example = (CHART.parent / "examples" / "prometheus-adapter.yaml").read_text("utf-8")
    rules = yaml.safe_load(example)["rules"]
    made = {
        kind: {rule["name"]["as"] for rule in rules[told]}
        for kind, told in (("pods", "custom"), ("external", "external"))
    }
    deployments = {one["metadata"]["name"]: one for one in documents(name, "Deployment")}
    for one in documents(name, "HorizontalPodAutoscaler", "ScaledObject"):
        aim = deployments[one["spec"]["scaleTargetRef"]["name"]]
        # Both would fight over the number.
        assert "replicas" not in aim["spec"]
        for metric in one["spec"].get("metrics", []):
            kind = metric["type"].lower()
            assert kind == "resource" or metric[kind]["metric"]["name"] in made[kind]
    if name == "large":
        by_load = {
            component(one["metadata"]["labels"]): {part["type"] for part in one["spec"]["metrics"]}
            for one in documents(name, "HorizontalPodAutoscaler")
        }
        assert by_load == {
            **{service: {"Resource", "Pods"} for service in SERVICES},
            "ingest": {"Resource", "External"},
        }


@needs_helm
def test_a_proxy_in_front_neither_buffers_answers_nor_cuts_them_short() -> None:
    (ingress,) = documents("everything", "Ingress")
    notes = ingress["metadata"]["annotations"]
    assert notes["nginx.ingress.kubernetes.io/proxy-buffering"] == "off"
    assert int(notes["nginx.ingress.kubernetes.io/proxy-read-timeout"]) > 600
    (route,) = documents("everything", "HTTPRoute")
    assert route["spec"]["rules"][0]["timeouts"]["request"] == "660s"


@needs_helm
@each_set
def test_the_gateway_takes_what_the_chart_says_of_its_surroundings(name: str) -> None:
    from services.gateway.settings import Exposure

    (pod,) = (pod for owner, pod in pods(name) if owner == "quoth-gateway")
    told = environment(pod["spec"]["containers"][0])
    exposure = load_settings(Exposure, {k: v for k, v in told.items() if isinstance(v, str)})
    assert exposure.asks_for_keys
    assert {"quoth-gateway.books.svc.cluster.local", *SETS[name].get("hosts", [])} <= exposure.names


@needs_helm
def test_migrations_come_before_the_code() -> None:
    (job,) = documents("small", "Job")
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"


@needs_helm
@pytest.mark.parametrize(
    ("name", "own"), [("large", "books-quoth-{}"), ("everything", "{}"), ("team", None)]
)
def test_priorities_without_a_name_are_of_one_release_of_a_namespace(
    name: str, own: str | None
) -> None:
    kinds = ("readers", "background")
    classes = [one["metadata"]["name"] for one in documents(name, "PriorityClass")]
    assert classes == ([own.format(kind) for kind in kinds] if own else [])
    of_pods = {
        component(one["metadata"]["labels"]): one["spec"]["template"]["spec"]
        for one in documents(name, "Deployment")
    }
    for service in SERVICES:
        named = of_pods[service].get("priorityClassName")
        assert named == (own and own.format("background" if service == "ingest" else "readers"))


@needs_helm
def test_scanned_pages_are_read_where_it_is_asked_for() -> None:
    for name, target in (("small", "ingest"), ("everything", "ingest-ocr")):
        images = {
            component(pod["metadata"]["labels"]): pod["spec"]["containers"][0]["image"]
            for _, pod in pods(name)
        }
        assert images["ingest"].rpartition(":")[0].endswith(f"quoth-{target}")
        assert images["retrieval"].rpartition(":")[0].endswith("quoth-retrieval")


@needs_helm
def test_the_first_key_is_let_in_by_the_job_that_makes_its_table() -> None:
    (job,) = (
        one for one in documents("everything", "Job") if one["metadata"]["name"].endswith("ations")
    )
    pod = job["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["args"] == ["migrate", "--first-key", "/etc/quoth/first/key"]
    (volume,) = [one["secret"] for one in pod["volumes"] if one["name"] == "first-key"]
    assert volume == {"secretName": "operator", "items": [{"key": "key", "path": "key"}]}
    (mount,) = [one for one in container["volumeMounts"] if one["name"] == "first-key"]
    assert (mount["mountPath"], mount["readOnly"]) == ("/etc/quoth/first", True)
    (plain,) = documents("small", "Job")
    assert plain["spec"]["template"]["spec"]["containers"][0]["args"] == ["migrate"]
