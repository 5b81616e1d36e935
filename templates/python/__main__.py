import pulumi
import pulumi_gpucluster as gpucluster

web = gpucluster.Cluster("web",
    gpu_type="h100",
    replicas=1,
    container="vllm/vllm-openai:v0.6.3",
    env={"MODEL": "meta-llama/Llama-3.1-8B-Instruct"})

pulumi.export("endpoint", web.endpoint)
pulumi.export("hourlyCost", web.hourly_cost)
