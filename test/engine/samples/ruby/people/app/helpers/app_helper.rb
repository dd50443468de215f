module AppHelper
  def badge(text)
    "<span>#{text}</span>".html_safe
  end
  def raw_name
    # vuln: xss
    raw(params[:name])
  end
  def bold(text)
    # safe: xss
    content_tag(:b, text)
  end
end
