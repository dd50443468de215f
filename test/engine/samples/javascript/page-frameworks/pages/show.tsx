import { useRouter } from 'next/router';
import { useRef, useEffect, useState } from 'react';
import { useSearchParams, useParams, useLocation } from 'react-router-dom';
import DOMPurify from 'dompurify';
export const getServerSideProps = async ({ query, params }) => {
  // vuln: ssrf
  const r = await fetch(query.api);
  return { props: { data: await r.json(), bio: query.bio } };
};
export default function Show({ data }) {
  const router = useRouter();
  const ref = useRef<HTMLDivElement>(null);
  const [params] = useSearchParams();
  const location = useLocation();
  const [html, setHtml] = useState('');
  useEffect(() => {
    // vuln: xss
    ref.current.innerHTML = new URLSearchParams(window.location.search).get('msg');
    // vuln: xss
    document.getElementById('x').innerHTML = decodeURIComponent(window.location.hash.slice(1));
    // safe: xss
    ref.current.innerHTML = DOMPurify.sanitize(window.location.hash);
    // safe: xss
    ref.current.textContent = window.location.hash;
    // vuln: code_injection
    eval(window.location.hash.substring(1));
    // vuln: open_redirect
    window.location.href = new URLSearchParams(window.location.search).get('next');
    window.addEventListener('message', (event) => {
      // vuln: xss
      document.body.innerHTML = event.data.html;
    });
    window.addEventListener('message', (event) => {
      if (event.origin !== 'https://app.example.com') return;
      // safe: xss
      document.body.innerHTML = event.data.html;
    });
    setHtml(new URLSearchParams(location.search).get('html'));
  }, []);
  return (
    <>
      {/* vuln: xss */}
      <div dangerouslySetInnerHTML={{ __html: router.query.bio }} />
      {/* vuln: xss */}
      <div dangerouslySetInnerHTML={{ __html: params.get('bio') }} />
      {/* safe: xss */}
      <div dangerouslySetInnerHTML={{ __html: DOMPurify.sanitize(params.get('bio')) }} />
      {/* vuln: xss */}
      <a href={params.get('url')}>x</a>
      {/* vuln: xss */}
      <div dangerouslySetInnerHTML={{ __html: html }} />
      <p>{router.query.bio}</p>
    </>
  );
}
