import type { ServerWritableStream } from "@grpc/grpc-js";
import { type ListRequest, ListResponse } from "@pulumi/pulumi/proto/provider_pb";
import type { Session } from "./session";

/** The clusters of the organization, for a user who wants to import one. */
export async function list(
  { provider }: Session,
  stream: ServerWritableStream<ListRequest, ListResponse>,
): Promise<void> {
  const { clusters } = await provider.getClusters();
  const limit = stream.request.getLimit() || clusters.length;
  for (const { id, name = id } of clusters.slice(0, limit)) {
    stream.write(new ListResponse().setResult(new ListResponse.Result().setId(id).setName(name)));
  }
  stream.end();
}
