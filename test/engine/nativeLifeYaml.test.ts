import { testLives } from "./nativeLife";

testLives("YAML");
