import { db } from '@/lib/db';
export default async function Page({ searchParams, params }: { searchParams: { q: string; bio: string }; params: { slug: string } }) {
  // vuln: sql_injection
  const rows = await db.query(`SELECT * FROM posts WHERE title = '${searchParams.q}'`);
  return (
    <div>
      <p>{searchParams.q}</p>
      {/* vuln: xss */}
      <div dangerouslySetInnerHTML={{ __html: searchParams.bio }} />
    </div>
  );
}
