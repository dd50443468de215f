import { expect, it } from "vitest";
import { inTestCode } from "../../functions/engine/link/path-role.ts";

it.each([
  ["test/orders.js", true],
  ["examples/shop/server.js", true],
  ["samples/shop/src/main/java/org/example/Shop.java", true],
  ["src/test/java/org/example/ShopTest.java", true],
  ["src/main/java/org/example/samples/shop/Shop.java", false],
  ["shop/src/main/kotlin/org/example/demo/Shop.kt", false],
  ["src/com/test/shop/Orders.java", false],
  ["src/integration/samples/orders.js", true],
  ["lib/latest/orders.js", false],
])("%s is test code: %s", (path, expected) => {
  expect(inTestCode(path)).toBe(expected);
});
