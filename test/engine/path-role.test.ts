import { expect, it } from "vitest";
import { inTestCode, isDocumentation } from "../../functions/engine/link/path-role.ts";
import { findingsOfAll, openEngine } from "./engine-under-test.ts";

it.each([
  ["test/orders.js", true],
  ["examples/shop/server.js", true],
  ["samples/shop/src/main/java/org/example/Shop.java", true],
  ["src/test/java/org/example/ShopTest.java", true],
  ["src/main/java/org/example/samples/shop/Shop.java", false],
  ["shop/src/main/kotlin/org/example/demo/Shop.kt", false],
  ["demo/src/main/java/org/example/Shop.java", false],
  ["src/com/test/shop/Orders.java", false],
  ["src/integration/samples/orders.js", true],
  ["shop-maven-plugin/src/it/run/src/main/java/org/example/Shop.java", true],
  ["src/items/Shop.java", false],
  ["microbench/src/main/java/org/example/ShopBenchmark.java", true],
  ["bench/orders.py", false],
  ["lib/latest/orders.js", false],
  [".tests/orders/lines.assert", true],
  ["reg-tests/ssl/orders.vtc", true],
  ["t/server.pem", true],
  ["shop/t/orders.js", false],
  ["shoptest/localhost.key", true],
  ["latest/orders.go", false],
  ["contest/orders.go", false],
  ["test-drive/orders.js", false],
  ["shop/orders/tests.py", true],
  ["test_shop/functional.py", true],
  ["shop_tests/data/orders.json", true],
  ["contest_shop/orders.py", false],
  ["shop/orders/protests.py", false],
  ["spec_helper/orders_spec.rb", true],
  ["drivers/postgres/test.js", true],
  ["server/routes/test.js", false],
  ["lib/contest.js", false],
  ["src/testnet/test_digest.c", true],
  ["src/digest_test.cc", true],
  ["src/fuzz/keys.h", true],
  ["src/latest_digest.c", false],
  ["shop_test/smoke.sh.in", true],
  ["tools/login-test-env/server.key", true],
  ["src/testcurl/empty.c", true],
  ["lib/t/t0302-store.sh", true],
  ["latest/orders.sh", false],
  ["tools/test-login.sh", true],
  ["tools/latest.sh", false],
  ["contrib/nginx/shop-ca+localhost-key.pem", true],
  ["ssl/contest.key", false],
  ["config/environments/test.rb", true],
  ["config/environments/production.rb", false],
  ["shop/settings/dev.py", true],
  ["shop/settings_test.py", true],
  ["shop/settings/local.py", false],
  ["shop/devices/dev.py", false],
])("%s is test code: %s", (path, expected) => {
  expect(inTestCode(path, "")).toBe(expected);
});

it.each([
  ["README.rdoc", true],
  ["tools/README", true],
  ["src/readme.ts", false],
  ["man/shopd.1", true],
  ["var/shopd.log.1", false],
  ["lib/shop.rb", false],
  ["config/database.yml.example", true],
  ["shop-config-sample.php", true],
  ["lib/templates/settings.js.stub", true],
  ["dist/shop.js.map", true],
  ["lib/shop.map", false],
])("%s is documentation: %s", (path, expected) => {
  expect(isDocumentation(path)).toBe(expected);
});

const unsafe = `const app = require("express")();\napp.get("/", (req, res) => res.send(eval(req.query.a)));\n`;

it.each([
  ["an example beside the code", ["lib/index.js", "examples/shop/server.js"], "low"],
  ["the whole project", ["README.md", "package.json", "examples/shop/server.js"], "critical"],
  ["the whole project, with tests", ["examples/shop/server.js", "examples/shop/test/orders.js"], "critical"],
])("what is found in an example that is %s", async (_, paths, severity) => {
  const files = paths.map((path) => ({ path, source: path.endsWith("server.js") ? unsafe : "0\n" }));
  const findings = await findingsOfAll(await openEngine(), files);
  expect(findings.filter(({ type }) => type === "code_injection").map((finding) => finding.severity)).toEqual([
    severity,
  ]);
});
