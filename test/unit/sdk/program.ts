import * as pulumi from "@pulumi/pulumi";

/** One registered resource, with marked secrets. */
export interface Registered {
  readonly type: string;
  readonly name: string;
  readonly props: Record<string, unknown>;
}

const secretKey = "4dabf18193072939515e22adb298388d";

export interface ProgramOptions {
  readonly isPreview?: boolean;
  /** What each resource has beside its inputs. */
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/** Runs a program against mocks, and returns the resources that it has registered. */
export async function runProgram(
  program: () => unknown,
  { isPreview = false, outputs = {} }: ProgramOptions = {},
): Promise<Registered[]> {
  const mocks: pulumi.runtime.Mocks = {
    newResource: ({ name, inputs }) => ({ id: `cl_${name}`, state: { ...outputs, ...inputs } }),
    call: () => ({}),
  };
  await pulumi.runtime.setMocks(mocks, "shop", "dev", isPreview);
  const registered: Registered[] = [];
  // A mock gets its inputs without the marks of secrets.
  const monitor: Monitor = Object(pulumi.runtime.getMonitor());
  const { registerResource } = monitor;
  monitor.registerResource = (request, callback) => {
    registered.push({ type: request.getType(), name: request.getName(), props: request.getObject().toJavaScript() });
    return registerResource.call(monitor, request, callback);
  };
  await program();
  await pulumi.runtime.disconnect(); // waits for all registrations
  return registered;
}

/** The one resource of a type that a program registers. */
export async function registerOne(program: () => unknown, type: RegExp): Promise<Registered> {
  const registered = (await runProgram(program)).filter((resource) => type.test(resource.type));
  expect(registered).toHaveLength(1);
  return registered[0] as Registered;
}

interface Request {
  getType(): string;
  getName(): string;
  getObject(): { toJavaScript(): Record<string, unknown> };
}

interface Monitor {
  registerResource(request: Request, callback: unknown): unknown;
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
