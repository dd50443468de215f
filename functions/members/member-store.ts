import { DeleteCommand, GetCommand, PutCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { indexKeys, keys, table, whenConditionFails } from "../platform/table.ts";
import { writeForUser } from "../users/user-store.ts";
import { Member } from "./member.ts";

/** @returns the user's membership, or null: who created the project has none */
export async function findMember(projectId: string, userId: string): Promise<Member | null> {
  const Key = keys.member(projectId, userId);
  const { Item } = await table.send(new GetCommand({ TableName: environment().TABLE_NAME, Key, ConsistentRead: true }));
  return Item ? Member.parse(Item) : null;
}

/** @throws SluiceError member_not_found */
export async function readMember(projectId: string, userId: string): Promise<Member> {
  const member = await findMember(projectId, userId);
  if (!member) throw new SluiceError("member_not_found");
  return member;
}

/** All members of a project, newest first. Teams are small: they are read whole. */
export async function listMembers(projectId: string): Promise<Member[]> {
  const { pk, sk } = keys.member(projectId, "");
  const query = {
    TableName: environment().TABLE_NAME,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :members)",
    ExpressionAttributeValues: { ":pk": pk, ":members": sk },
    ConsistentRead: true,
  };
  const members: Member[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query))
    members.push(...Items.map((item) => Member.parse(item)));
  return members.toSorted((a, b) => b.joinedAt.localeCompare(a.joinedAt) || a.userId.localeCompare(b.userId));
}

/** Projects that a user is a member of, without those they created; some may be gone by now. */
export async function projectIdsOf(userId: string): Promise<string[]> {
  const query = {
    TableName: environment().TABLE_NAME,
    IndexName: "gsi1",
    KeyConditionExpression: "gsi1pk = :pk",
    ExpressionAttributeValues: { ":pk": indexKeys.membershipsOf(userId).gsi1pk },
  };
  const ids: string[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query))
    ids.push(...Items.map((item) => item.projectId as string));
  return ids;
}

/** @throws SluiceError already_member, user_not_found */
export async function addMember(member: Member): Promise<void> {
  const Put = {
    TableName: environment().TABLE_NAME,
    Item: item(member),
    ConditionExpression: "attribute_not_exists(pk)",
  };
  await writeForUser(member.userId, [{ write: { Put }, refusal: "already_member" }], "user_not_found");
}

/** @returns the member as stored. @throws SluiceError stale_version when somebody else changed it since it was read */
export async function replaceMember(member: Member): Promise<Member> {
  const next = { ...member, version: member.version + 1 };
  const put = new PutCommand({ TableName: environment().TABLE_NAME, Item: item(next), ...unchanged(member) });
  await table.send(put).catch(whenConditionFails(() => new SluiceError("stale_version")));
  return next;
}

/** @throws SluiceError stale_version when somebody else changed it since it was read */
export async function removeMember(member: Member): Promise<void> {
  const Key = keys.member(member.projectId, member.userId);
  const remove = new DeleteCommand({ TableName: environment().TABLE_NAME, Key, ...unchanged(member) });
  await table.send(remove).catch(whenConditionFails(() => new SluiceError("stale_version")));
}

/** Whether the caller may touch a member depends on its role, so the role must still be the one that was looked at. */
const unchanged = (member: Member) => ({
  ConditionExpression: "version = :read",
  ExpressionAttributeValues: { ":read": member.version },
});

const item = (member: Member) => ({
  ...keys.member(member.projectId, member.userId),
  ...indexKeys.membershipsOf(member.userId),
  gsi1sk: `P#${member.projectId}`,
  v: 1,
  ...member,
});
