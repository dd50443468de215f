import { operation } from "../platform/operation.ts";
import { UserView, userView } from "./user.ts";

export const readMe = operation(
  {
    method: "GET",
    path: "/users/me",
    summary: "Show the signed-in user",
    auth: "user",
    success: UserView,
    failures: [],
    grants: {},
    messages: "zh",
  },
  async ({ caller }) => userView(caller),
);
