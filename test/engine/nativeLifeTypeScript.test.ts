import { testLives } from "./nativeLife";

// `npm run check` and nativeProgram.test.ts check types.
testLives("TypeScript", ({ workspace }) => workspace.withoutTypes());
