import { testLife } from "./nativeLife";

testLife("YAML", "plain");
