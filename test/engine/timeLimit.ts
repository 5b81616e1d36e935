/** Each step of these tests starts the real CLI, the program and the provider. */
jest.setTimeout(180_000);
