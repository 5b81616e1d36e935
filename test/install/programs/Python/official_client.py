"""Drives a service through its official client, and prints one line of JSON for each step: what the client made of it."""

import asyncio
import json
import sys

import vectorlay

base_url, api_key, spent_key = sys.argv[1:]
image = "vllm/vllm-openai:v0.6.3"
newer = "vllm/vllm-openai:v0.7.0"
unknown = "00000000-0000-4000-8000-000000000000"


def plain(answer):
    """The answer as JSON, with the names of the wire."""
    if isinstance(answer, list):
        return [plain(item) for item in answer]
    return answer.model_dump(mode="json", by_alias=True)


def reported(error):
    """An error of the client."""
    details = {name: getattr(error, name, None) for name in ("status_code", "type", "code")}
    return {"error": type(error).__name__, "message": str(error), **details}


def step(name, action):
    """Runs one step, prints what comes of it, and hands it back."""
    try:
        answer = action()
    except vectorlay.VectorlayError as error:
        print(json.dumps({"step": name, "answer": reported(error)}))
        return None
    print(json.dumps({"step": name, "answer": plain(answer)}))
    return answer


def wait(client, cluster, target="running"):
    return client.clusters.wait_for_status(cluster.id, target=target, timeout=20, poll_interval=0.1)


def gpus(client):
    step("models", lambda: client.gpus.list())
    step("models of a tier in regions", lambda: client.gpus.list(tier="verified", regions=["eu-north", "us-east"]))
    step("availability", lambda: client.gpus.availability())
    step("availability of a tier in a region", lambda: client.gpus.availability(tier="community", region="us-east"))
    step("pricing", lambda: client.gpus.pricing())


def create(client, name, **more):
    return client.clusters.create(name=name, gpus_per_replica=1, container=image, **more)


def life(client):
    web = step("create", lambda: create(client, "web", gpu_type="RTX 4090", replicas=2, env={"MODE": "fast"}))
    step("name taken", lambda: create(client, "web", gpu_type="H100"))
    step("running", lambda: wait(client, web))
    step("create by the first word", lambda: create(client, "short", gpu_type="rtx"))
    step("create without a GPU", lambda: client.clusters.create(name="bare"))
    step("list", lambda: client.clusters.list())
    step("get", lambda: client.clusters.get(web.id))
    step("scale up", lambda: client.clusters.scale(web.id, 3))
    step("scale down", lambda: client.clusters.update(web.id, replicas=1))
    step("scale to nothing", lambda: client.clusters.scale(web.id, 0))
    step("redeploy", lambda: client.clusters.redeploy(web.id, container=newer, cloud_init_runcmd=["date"]))
    step("redeployed", lambda: wait(client, web))
    step("redeploy as it is", lambda: client.clusters.redeploy(web.id))
    step("stop", lambda: client.clusters.stop(web.id))
    step("stopped", lambda: wait(client, web, "stopped"))
    step("restart", lambda: client.clusters.restart(web.id))
    step("restarted", lambda: wait(client, web))
    step("delete", lambda: client.clusters.delete(web.id))
    step("terminated", lambda: wait(client, web, "terminated"))


def refusals(client):
    step("unknown GPU name", lambda: create(client, "x", gpu_type="x900"))
    step("unknown GPU model", lambda: create(client, "x", gpu_type=unknown))
    step("unknown cluster", lambda: client.clusters.get(unknown))
    step("no permission", lambda: create(client, "forbidden", gpu_type="H100"))
    broken = create(client, "broken", gpu_type="H100")
    step("failed cluster", lambda: wait(client, broken))
    step("wrong key", lambda: vectorlay.Client(base_url=base_url, api_key="wrong").clusters.list())


async def read_all():
    async with vectorlay.AsyncClient(base_url=base_url, api_key=api_key) as client:
        return await client.clusters.list()


def spend():
    with vectorlay.Client(base_url=base_url, api_key=spent_key, max_retries=0) as client:
        for _ in range(101):
            answer = client.gpus.pricing()
    return answer


with vectorlay.Client(base_url=base_url, api_key=api_key) as main:
    gpus(main)
    life(main)
    refusals(main)
step("asynchronous list", lambda: asyncio.run(read_all()))
step("rate limit", spend)
