import * as pulumi from "@pulumi/pulumi";

/** One registered resource, with marked secrets. */
export interface Registered {
  readonly type: string;
  readonly name: string;
  readonly props: Record<string, unknown>;
  /** The URN that the engine gives it. */
  readonly urn: string;
}

const secretKey = "4dabf18193072939515e22adb298388d";

interface ProgramOptions {
  readonly isPreview?: boolean;
  /** What each resource has beside its inputs. */
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/** Runs a program against mocks, and returns the resources that it has registered. */
export async function runProgram(
  program: () => unknown,
  { isPreview = false, outputs = {} }: ProgramOptions = {},
): Promise<Registered[]> {
  const registered: Registered[] = [];
  await pulumi.runtime.setMocks(
    {
      newResource: ({ name, inputs }) => ({ id: `cl_${name}`, state: { ...outputs, ...inputs } }),
      call: () => ({}),
    },
    "shop",
    "dev",
    isPreview,
  );
  const monitor: unknown = pulumi.runtime.getMonitor();
  const stop = recordRegistrations(monitor, (resource) => registered.push(resource));
  try {
    await program();
    await pulumi.runtime.disconnect(); // waits for all registrations
  } finally {
    stop();
  }
  return registered;
}

interface Request {
  getType(): string;
  getName(): string;
  getObject(): { toJavaScript(): Record<string, unknown> };
}

type Register = (request: Request, callback: (error: unknown, response: { getUrn(): string }) => void) => unknown;

function recordRegistrations(monitor: unknown, record: (resource: Registered) => void): () => void {
  if (!hasRegister(monitor)) throw new Error("there is no monitor to listen to");
  const original = monitor.registerResource;
  monitor.registerResource = (request, callback) =>
    original.call(monitor, request, (error, response) => {
      if (!error) {
        const props = request.getObject().toJavaScript();
        record({ type: request.getType(), name: request.getName(), props, urn: response.getUrn() });
      }
      callback(error, response);
    });
  return () => {
    monitor.registerResource = original;
  };
}

function hasRegister(monitor: unknown): monitor is { registerResource: Register } {
  return typeof monitor === "object" && monitor !== null && "registerResource" in monitor;
}

/** A value as the engine sends a secret. */
export function secret(value: unknown) {
  return { [secretKey]: "1b47061264138c4ac30d75fd1eb44270", value };
}

/** True for a value that the program has marked as a secret. */
export function isSecret(value: unknown): boolean {
  return typeof value === "object" && value !== null && secretKey in value;
}

/** The value inside a secret. */
export function inside(value: unknown): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, "value") : undefined;
}

/** The value of an output. */
export function resolved<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply((value) => resolve(value as T)));
}

/** An output that a preview cannot know. */
export function unknownOutput(): pulumi.Output<string> {
  return pulumi.output(pulumi.unknown as unknown as string);
}

/** Whether a preview knows an output. */
export function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
  return Reflect.get(output, "isKnown");
}

/** What states hold for the provider alone. */
export const onlyInStates = ["settled", "unverifiedInputs"];
