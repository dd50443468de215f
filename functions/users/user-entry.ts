import type * as z from "zod";
import { User } from "./user.ts";

/** What searches look at: a user without secrets and without what only its own page shows, some 250 bytes. */
export const UserEntry = User.pick({
  id: true,
  email: true,
  fullName: true,
  phone: true,
  role: true,
  isActive: true,
  createdAt: true,
});
export type UserEntry = z.infer<typeof UserEntry>;

export const entryOf = ({ id, email, fullName, phone, role, isActive, createdAt }: User): UserEntry => ({
  id,
  email,
  fullName,
  phone,
  role,
  isActive,
  createdAt,
});
