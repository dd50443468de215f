import { NextRequest, NextResponse } from "next/server";
import { readFile } from "fs/promises";
import path from "path";
import { isAllowedHost } from "@/lib/validation";

export async function GET(request: NextRequest, { params }: { params: { id: string } }) {
  // vuln: path_traversal
  const text = await readFile(path.join("posts", params.id), "utf8");
  return NextResponse.json({ text });
}

export async function POST(request: NextRequest) {
  const { image } = await request.json();
  // vuln: ssrf
  const picture = await fetch(image);
  if (!isAllowedHost(image)) return NextResponse.json({ error: "host" }, { status: 400 });
  // safe: ssrf
  const allowed = await fetch(image);
  return NextResponse.json([picture.status, allowed.status]);
}

export async function DELETE(request: NextRequest) {
  const next = request.nextUrl.searchParams.get("next");
  // vuln: open_redirect
  return NextResponse.redirect(next);
}
