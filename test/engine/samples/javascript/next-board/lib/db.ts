import { PrismaClient } from "@prisma/client";

export const prisma = new PrismaClient();

export function findPosts(term: string) {
  // vuln: sql_injection
  return prisma.$queryRawUnsafe(`SELECT * FROM post WHERE title LIKE '%${term}%'`);
}

export function findPostsSafely(term: string) {
  // safe: sql_injection
  return prisma.$queryRaw`SELECT * FROM post WHERE title LIKE ${term}`;
}

export function recentPosts(days: number) {
  // safe: sql_injection
  return prisma.$queryRawUnsafe(`SELECT * FROM post WHERE age < ${days}`);
}
