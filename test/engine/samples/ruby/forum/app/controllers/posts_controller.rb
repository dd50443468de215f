class PostsController < ApplicationController
  before_action :load_post, only: [:show, :update]

  def index
    # vuln: sql_injection
    @posts = Post.where("title LIKE '%#{params[:q]}%'")
    # safe: sql_injection
    @mine = Post.where("author_id = ? AND title LIKE ?", current_user.id, "%#{params[:q]}%")
    # safe: sql_injection
    @tagged = Post.where(tag: params[:tag]).limit(20)
    # vuln: sql_injection
    @sorted = Post.order("#{params[:sort]} ASC")
    direction = params[:direction] == "up" ? "ASC" : "DESC"
    # safe: sql_injection
    @dated = Post.order("created_at #{direction}")
  end

  def show
    # vuln: xss
    render html: "<h1>#{params[:title]}</h1>".html_safe
  end

  def preview
    # safe: xss
    render html: "<h1>#{ERB::Util.html_escape(params[:title])}</h1>".html_safe
  end

  def create
    # vuln: mass_assignment
    @post = Post.new(params[:post].permit!)
    @post.save
    # vuln: open_redirect
    redirect_to params[:back]
  end

  def update
    # safe: mass_assignment
    @post.update(post_params)
    # safe: open_redirect
    redirect_to @post
  end

  def export
    # vuln: command_injection
    system("pandoc #{file_name} -o /tmp/out.pdf")
    # safe: command_injection
    system("pandoc", "--version", file_name)
  end

  def attachment
    # vuln: path_traversal
    send_file Rails.root.join("uploads", params[:file])
  end

  def own_attachment
    # safe: path_traversal
    send_file Rails.root.join("uploads", File.basename(params[:file]))
  end

  private

  def file_name
    params[:name]
  end

  def load_post
    @post = Post.find(params[:id])
  end

  def post_params
    params.require(:post).permit(:title, :body)
  end
end
