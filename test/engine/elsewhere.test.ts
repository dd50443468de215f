import { beforeAll, expect, it } from "vitest";
import type { Engine } from "../../functions/engine/engine.ts";
import { findingsOfAll, openEngine } from "./engine-under-test.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

const controller = `
package org.example.stock;

import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.*;

@RestController
@RequestMapping("/items")
class ItemController {
    private final Items items;

    @PostMapping
    @PreAuthorize("hasRole('CLERK')")
    void add(@RequestBody Item item) {
        items.save(item);
    }

    @DeleteMapping("/{id}")
    void remove(@PathVariable long id) {
        items.deleteById(id);
    }
}
`;
const chain = (rest: string) => `
package org.example.stock;

import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

class Security {
    SecurityFilterChain chain(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers("/about").authenticated().anyRequest().${rest}()).build();
    }
}
`;

it.each([
  ["a chain of filters that is not among the files", [], ["low"]],
  ["one that lets everybody in", [chain("permitAll")], ["high"]],
  ["one that asks everybody", [chain("authenticated")], []],
])("tells of routes of Spring behind %s", async (_, chains, severities) => {
  const found = await findingsOfAll(engine, [
    { path: "src/ItemController.java", source: controller },
    ...chains.map((source) => ({ path: "src/Security.java", source })),
  ]);
  const meant = found.filter(({ ruleId }) => ruleId === "access-control.missing-authentication");
  expect(meant.map(({ severity }) => severity)).toEqual(severities);
});

it("takes an annotation of the project's own that is called Secured for no method security of Spring", async () => {
  const resource = `
package org.example.stock;

import javax.ws.rs.*;

@Path("/items")
class ItemResource {
    private ItemDao items;

    @POST
    @Secured
    void add(Item item) {
        items.save(item);
    }

    @DELETE
    @Path("/{id}")
    void remove(@PathParam("id") long id) {
        items.deleteById(id);
    }
}
`;
  const found = await findingsOfAll(engine, [
    { path: "src/ItemResource.java", source: resource },
    {
      path: "src/Secured.java",
      source: "package org.example.stock;\n@javax.ws.rs.NameBinding\n@interface Secured {}\n",
    },
    {
      path: "src/KeyFilter.java",
      source: `package org.example.stock;
import javax.ws.rs.container.*;
@Secured
class KeyFilter implements ContainerRequestFilter {
    public void filter(ContainerRequestContext context) {
        if (!keys.knows(context.getHeaderString("Authorization"))) context.abortWith(Response.status(401).build());
    }
}
`,
    },
  ]);
  const meant = found.filter(({ ruleId }) => ruleId === "access-control.missing-authentication");
  expect(meant.map(({ severity, startLine }) => `${severity} ${startLine}`)).toEqual(["high 16"]);
});
