import * as z from "zod";

export const Role = z.enum(["admin", "member"]);

/** A person who may sign in. */
export const User = z.object({
  id: z.uuid(),
  /** Lower-cased: the claim item on it makes it unique. */
  email: z.string(),
  fullName: z.string(),
  phone: z.string().nullable(),
  avatarUrl: z.string().nullable(),
  githubUsername: z.string().nullable(),
  gitlabUsername: z.string().nullable(),
  role: Role,
  isActive: z.boolean(),
  /** PHC string, see password.ts. */
  passwordHash: z.string(),
  /** Every token carries it; raising it signs the user out everywhere. */
  tokenVersion: z.number().int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime().nullable(),
  version: z.number().int(),
});
export type User = z.infer<typeof User>;

/** What other people may see of a user. */
export const UserView = z.object({
  id: z.string(),
  email: z.string(),
  full_name: z.string(),
  /** The same as `full_name`: clients know it by either. */
  name: z.string(),
  phone: z.string().nullable(),
  avatar_url: z.string().nullable(),
  role: Role,
  is_active: z.boolean(),
  is_superuser: z.boolean(),
  github_username: z.string().nullable(),
  gitlab_username: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
});

export const userView = (user: User): z.input<typeof UserView> => ({
  id: user.id,
  email: user.email,
  full_name: user.fullName,
  name: user.fullName,
  phone: user.phone,
  avatar_url: user.avatarUrl,
  role: user.role,
  is_active: user.isActive,
  is_superuser: user.role === "admin",
  github_username: user.githubUsername,
  gitlab_username: user.gitlabUsername,
  created_at: user.createdAt,
  updated_at: user.updatedAt,
});

/** The short form that projects and members carry. */
export const UserBrief = UserView.pick({ id: true, email: true, full_name: true, avatar_url: true, role: true });

export const userBrief = (user: User): z.input<typeof UserBrief> => ({
  id: user.id,
  email: user.email,
  full_name: user.fullName,
  avatar_url: user.avatarUrl,
  role: user.role,
});

/** The form in which an address is stored, compared and claimed. */
export const normaliseEmail = (email: string): string => email.normalize("NFKC").trim().toLowerCase();

/** True for who may administrate as of this record. */
export const administrates = (user: User): boolean => user.role === "admin" && user.isActive;

export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly fullName: string;
  readonly role: User["role"];
  readonly passwordHash: string;
}

/** A user as registered: active, with nothing but a name. */
export const newUser = (given: NewUser, at: Date): User => ({
  ...given,
  email: normaliseEmail(given.email),
  phone: null,
  avatarUrl: null,
  githubUsername: null,
  gitlabUsername: null,
  isActive: true,
  tokenVersion: 1,
  createdAt: at.toISOString(),
  updatedAt: null,
  version: 1,
});
