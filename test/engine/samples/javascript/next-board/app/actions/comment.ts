"use server";
import { redirect } from "next/navigation";
import { prisma } from "@/lib/db";

export async function addComment(formData: FormData) {
  const text = formData.get("text");
  // vuln: sql_injection
  await prisma.$executeRawUnsafe("INSERT INTO comment (text) VALUES ('" + text + "')");
  // safe: sql_injection
  await prisma.$executeRaw`INSERT INTO comment (text) VALUES (${text})`;
  redirect("/comments");
}
