require "net/http"

class ToolsController < ApplicationController
  ALLOWED = %w[ascii utf8].freeze

  def fetch
    # vuln: ssrf
    page = Net::HTTP.get(URI.parse(params[:url]))
    # safe: ssrf
    item = Net::HTTP.get(URI.parse("https://api.example.com/items/#{params[:id]}"))
    render plain: page + item
  end

  def restore
    # vuln: deserialization
    state = Marshal.load(Base64.decode64(cookies[:state]))
    # safe: deserialization
    settings = YAML.safe_load(params[:settings])
    render json: { state: state, settings: settings }
  end

  def apply
    # vuln: code_injection
    result = current_user.send(params[:action_name])
    # safe: code_injection
    other = current_user.send(:logout)
    render json: [result, other]
  end

  def lookup
    # vuln: command_injection
    output = `whois #{params[:domain]}`
    render plain: output
  end

  def convert
    encoding = params[:encoding]
    return head(:bad_request) unless ALLOWED.include?(encoding)
    # safe: command_injection
    render plain: `iconv -t #{encoding} /srv/forum/faq.txt`
  end

  def template
    # vuln: ssti
    render inline: params[:template]
  end
end
