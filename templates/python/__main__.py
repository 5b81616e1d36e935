import pulumi
import pulumi_gpucluster as gpucluster

web = gpucluster.Cluster("web",
    gpu_type="h100",
    replicas=1,
    container="ghcr.io/ggml-org/llama.cpp:server-cuda-b11206",
    readiness_probe={"path": "/health"},  # waits until the model is loaded
    env={"LLAMA_ARG_HF_REPO": "ggml-org/gpt-oss-20b-GGUF", "LLAMA_ARG_PORT": "80"})

pulumi.export("endpoint", web.endpoint)
pulumi.export("hourlyCost", web.hourly_cost)
