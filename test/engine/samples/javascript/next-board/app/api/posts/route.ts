import { NextRequest, NextResponse } from "next/server";
import { findPosts, findPostsSafely, prisma, recentPosts } from "@/lib/db";
import { postSchema } from "@/lib/validation";

export async function GET(request: NextRequest) {
  const term = request.nextUrl.searchParams.get("term") ?? "";
  const found = await findPosts(term);
  const same = await findPostsSafely(term);
  const days = Number(request.nextUrl.searchParams.get("days"));
  return NextResponse.json([found, same, await recentPosts(days)]);
}

export async function POST(request: NextRequest) {
  const body = await request.json();
  const data = postSchema.parse(body);
  const post = await prisma.post.create({ data });
  return NextResponse.json(post);
}
