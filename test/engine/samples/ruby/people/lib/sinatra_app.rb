require 'sinatra'
require 'sqlite3'
require 'openssl'
DB = SQLite3::Database.new('x.db')
get '/hello' do
  # vuln: xss
  "Hello #{params['name']}"
end
get '/safe' do
  # safe: xss
  "Hello #{Rack::Utils.escape_html(params['name'])}"
end
post '/q' do
  # vuln: sql_injection
  DB.execute("SELECT * FROM t WHERE n = '#{params[:n]}'")
  # safe: sql_injection
  DB.execute("SELECT * FROM t WHERE n = ?", [params[:n]])
  # vuln: open_redirect
  redirect params[:to]
end
get '/t' do
  # vuln: ssti
  erb "<h1>#{params[:t]}</h1>"
  # vuln: ssti
  ERB.new(params[:tpl]).result(binding)
end
def fetch(url)
  http = Net::HTTP.new(url.host, url.port)
  # vuln: tls_verification
  http.verify_mode = OpenSSL::SSL::VERIFY_NONE
  # vuln: weak_cipher
  c = OpenSSL::Cipher.new('DES-ECB')
  # vuln: jwt_unverified
  JWT.decode(token, nil, false)
end
