import { credentials } from "@grpc/grpc-js";
import { ResourceMonitorClient } from "@pulumi/pulumi/proto/resource_grpc_pb";
import {
  RegisterResourceOutputsRequest,
  RegisterResourceRequest,
  type RegisterResourceResponse,
} from "@pulumi/pulumi/proto/resource_pb";
import type { Properties } from "../../core";
import { dependenciesIn } from "./marks";
import { markedValues, toStruct } from "./messages";

/** A resource that the engine has registered. In a preview, what is not known yet is absent or unknown. */
export interface Registered {
  readonly urn: string;
  readonly id: string;
  /** The outputs, with their marks. */
  readonly outputs: Properties;
}

/** The engine's monitor, with which a program, or a component, declares its resources. */
export class Monitor {
  readonly #client: ResourceMonitorClient;

  constructor(address: string) {
    const noLimits = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };
    this.#client = new ResourceMonitorClient(address, credentials.createInsecure(), noLimits);
  }

  /** Resolves when the engine has created or updated the resource, or has found it unchanged. */
  async register(request: RegisterResourceRequest): Promise<Registered> {
    const response = await new Promise<RegisterResourceResponse>((done, fail) => {
      this.#client.registerResource(request, (error, answer) => (error ? fail(error) : done(answer)));
    });
    return { urn: response.getUrn(), id: response.getId(), outputs: markedValues(response.getObject()) };
  }

  registerOutputs(urn: string, outputs: Properties): Promise<void> {
    const request = new RegisterResourceOutputsRequest().setUrn(urn).setOutputs(toStruct(outputs));
    return new Promise((done, fail) => {
      this.#client.registerResourceOutputs(request, (error) => (error ? fail(error) : done()));
    });
  }

  close(): void {
    this.#client.close();
  }
}

/** The request for a resource with these inputs, of which each depends on the resources that its value comes from. */
export function requestFor(type: string, name: string, parent: string, inputs: Properties): RegisterResourceRequest {
  const request = new RegisterResourceRequest()
    .setType(type)
    .setName(name)
    .setParent(parent)
    .setObject(toStruct(inputs))
    .setAcceptsecrets(true)
    .setSupportspartialvalues(true)
    .setAliasspecs(true);
  const { PropertyDependencies } = RegisterResourceRequest;
  for (const [input, value] of Object.entries(inputs)) {
    const dependencies = new PropertyDependencies().setUrnsList([...new Set(dependenciesIn(value))]);
    request.getPropertydependenciesMap().set(input, dependencies);
  }
  return request;
}
