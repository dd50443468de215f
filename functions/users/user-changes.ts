import * as z from "zod";
import { NewPassword } from "./password.ts";
import { newUser, normaliseEmail, Role, type User } from "./user.ts";

/** One line of text that shows what it says: no control characters and none that turn the direction of what follows. */
const line = (lengthMax: number) =>
  z
    .string()
    .trim()
    .max(lengthMax)
    .regex(/^[^\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/u, { error: "不能包含控制字符" });

/** A text that can be taken away: null and nothing but spaces mean none. */
const optionalLine = (lengthMax: number) => noneIfEmpty(line(lengthMax));

const noneIfEmpty = (text: z.ZodString) => text.transform((value) => (value === "" ? null : value)).nullable();

/** An e-mail address, in the form in which it is stored. Names without a dot are good: the first administrator may be admin@localhost. */
export const EmailAddress = z
  .string()
  .max(320)
  .transform(normaliseEmail)
  .pipe(
    z
      .string()
      .max(254)
      .regex(/^[^\s\p{C}@"(),:;<>[\]\\]{1,64}@[^\s\p{C}@"(),:;<>[\]\\]+$/u, { error: "邮箱格式不正确" }),
  );

export const FullName = line(100).min(1);

/** A body that may call the full name `name`, as answers do too; `full_name` wins. */
export const named = <S extends z.ZodType>(body: S) =>
  z.preprocess((given) => {
    const { name, ...rest } = typeof given === "object" && given !== null ? (given as Record<string, unknown>) : {};
    return name === undefined || Array.isArray(given) ? given : { full_name: name, ...rest };
  }, body);

/** Left out, null and "" mean the same in a change: the password stays. */
const ChangedPassword = z
  .preprocess((given) => (given === "" || given === null ? undefined : given), NewPassword.optional())
  .meta({ type: "string", format: "password" });

/** What everybody may change about themselves. Fields that are left out stay as they are; others, such as a role, are ignored. */
export const ProfileChanges = z
  .object({
    email: EmailAddress,
    full_name: FullName,
    phone: optionalLine(50),
    avatar_url: noneIfEmpty(
      z
        .string()
        .trim()
        .max(2000)
        .regex(/^(https?:\/\/\S+)?$/i, { error: "只支持 http 或 https 地址" }),
    ),
    github_username: optionalLine(100),
    gitlab_username: optionalLine(100),
    password: ChangedPassword,
  })
  .partial();

/** What administrators may change about anybody. */
export const UserChanges = ProfileChanges.extend({
  role: Role.optional(),
  is_active: z.boolean().optional(),
  /** The same as the role, in the words of older clients; `role` wins. */
  is_superuser: z.boolean().optional(),
});

/** What administrators say about a new user. */
export const UserDraft = UserChanges.extend({ email: EmailAddress, full_name: FullName, password: NewPassword });

/** A user as an administrator describes one. */
export function draftedUser(draft: z.output<typeof UserDraft>, id: string, passwordHash: string, at: Date): User {
  const role = roleOf(draft) ?? "member";
  const user = newUser({ id, email: draft.email, fullName: draft.full_name, role, passwordHash }, at);
  return { ...user, ...profileOf(user, draft), isActive: draft.is_active ?? true };
}

/**
 * The user with the changes applied. Another password, status or role ends all sessions and API tokens: whoever stole one is out, enabling a
 * user brings none back to life, and none that was made for a member becomes an administrator's.
 */
export function changeUser(
  user: User,
  changes: z.output<typeof UserChanges>,
  passwordHash: string | undefined,
  at: Date,
): User {
  const isActive = changes.is_active ?? user.isActive;
  const role = roleOf(changes) ?? user.role;
  const endsSessions = passwordHash !== undefined || isActive !== user.isActive || role !== user.role;
  return {
    ...user,
    ...profileOf(user, changes),
    role,
    isActive,
    passwordHash: passwordHash ?? user.passwordHash,
    tokenVersion: endsSessions ? user.tokenVersion + 1 : user.tokenVersion,
    updatedAt: at.toISOString(),
  };
}

const profileOf = (user: User, changes: z.output<typeof ProfileChanges>) => ({
  email: changes.email ?? user.email,
  fullName: changes.full_name ?? user.fullName,
  phone: changes.phone === undefined ? user.phone : changes.phone,
  avatarUrl: changes.avatar_url === undefined ? user.avatarUrl : changes.avatar_url,
  githubUsername: changes.github_username === undefined ? user.githubUsername : changes.github_username,
  gitlabUsername: changes.gitlab_username === undefined ? user.gitlabUsername : changes.gitlab_username,
});

function roleOf({ role, is_superuser }: z.output<typeof UserChanges>): User["role"] | undefined {
  if (role !== undefined || is_superuser === undefined) return role;
  return is_superuser ? "admin" : "member";
}
