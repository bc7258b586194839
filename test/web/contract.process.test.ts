import { describeAdapter } from "../contract/describe-adapter.ts";
import { webFixture } from "./web-fixture.ts";

describeAdapter("the web chat", webFixture);
