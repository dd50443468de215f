import DOMPurify from "dompurify";
import { useSearchParams } from "next/navigation";

export function Preview() {
  const params = useSearchParams();
  const text = params.get("text") ?? "";
  return (
    <div>
      {/* safe: xss */}
      <p>{text}</p>
      {/* vuln: xss */}
      <div dangerouslySetInnerHTML={{ __html: text }} />
      {/* safe: xss */}
      <div dangerouslySetInnerHTML={{ __html: DOMPurify.sanitize(text) }} />
      {/* vuln: xss */}
      <a href={params.get("link")}>open</a>
      {/* safe: xss */}
      <a href={`/posts/${params.get("id")}`}>open</a>
    </div>
  );
}
