import { createClient } from "../../../provider/api/client";
import { clientFor } from "../../../provider/api/clients";
import { Secret } from "../../../provider/base/text";

const connection = (key: string, baseUrl = "https://clients.example.com") => ({ baseUrl, apiKey: new Secret(key) });

test("one process has one client for each service and key", () => {
  const client = clientFor(connection("one-key"));
  expect(clientFor(connection("one-key"))).toBe(client);
  expect(clientFor(connection("another-key"))).not.toBe(client);
  expect(clientFor(connection("one-key", "https://other.example.com"))).not.toBe(client);
});

test("clients of one key share its rate budget and the secrets of its clusters, whichever names their requests use", () => {
  const client = clientFor(connection("one-key"));
  const named = clientFor({ ...connection("one-key"), requestNames: "client" });
  expect(named).not.toBe(client);
  expect(named.budget).toBe(client.budget);
  expect(named.redactor).toBe(client.redactor);
  for (const other of [connection("another-key"), connection("one-key", "https://other.example.com")]) {
    expect(clientFor(other).budget).not.toBe(client.budget);
    expect(clientFor(other).redactor).not.toBe(client.redactor);
  }
});

test("a client without a budget of its own knows none", () => {
  const client = createClient(() => Promise.reject(new Error("not sent")));
  expect(client.budget.view()).toEqual({ limit: 100, queued: 0, share: 1 });
});
